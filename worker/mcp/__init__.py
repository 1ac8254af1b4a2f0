"""`moim mcp`: agents ask about meetings by the Model Context Protocol (MCP). It is a client of `/v1`."""
