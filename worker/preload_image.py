"""Imported by the fork server, after `worker.preload`: makes it the image that jobs are born with."""

from worker.job_image import make

make()
