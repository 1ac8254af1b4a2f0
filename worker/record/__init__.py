"""The record of a meeting: written in order, kept through outages, read again."""
