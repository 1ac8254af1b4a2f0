"""The record of a meeting: events written in order and kept through outages, and read again."""
