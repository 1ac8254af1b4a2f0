"""The diagnostics of `moim check`: can each part be reached, with the settings as they are?"""
