"""Minutes in the form of whoever runs Moim: a Jinja2 template, tried at the start, filled in in a sandbox.

A template is a program: it may compute for ever or fill the memory, and its language has had holes. So it is
read as text at the start (`MOIM_MINUTES_TEMPLATE`) and runs in Jinja's sandbox, in a child process that is
bounded (`worker.sandbox`). It sees values, never a file or a setting. What it cannot write is in our form.
"""
