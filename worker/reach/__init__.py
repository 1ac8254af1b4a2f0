"""Can each part be reached, with the settings as they are? What `moim check` asks."""
