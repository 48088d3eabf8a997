"""Between words and token ids: tokenizers, chat templates, and what fits a conversation to them."""
