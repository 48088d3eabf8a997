"""The KV cache: pages of 256 tokens, who holds them, and the tensors behind them."""
