"""The flow put together: which cells a request means, how one is computed, how a run goes on."""
