"""Tokenizers from folders: side files, special tokens, what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers
from tokenizers import AddedToken, processors

from engine.errors import CorruptFile, TokenizerError
from engine.text.folder import read_folder
from engine.text.tokenizer import Tokenizer
from tests.tiny_tokenizers import byte_level, byte_level_folder, like_sentencepiece, save, sentencepiece_folder


def write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")


def test_c017_sentencepiece_alone_is_refused_and_the_way_out_is_told(tmp_path: Path) -> None:
    """C017: only tokenizer.model is shipped."""
    (tmp_path / "tokenizer.model").write_bytes(b"\x0a\x00")
    with pytest.raises(TokenizerError) as caught:
        Tokenizer.from_folder(tmp_path)
    assert "tokenizer.json" in caught.value.sentence() and "save_pretrained" in caught.value.remedy()


def test_c017_tokens_of_a_side_file(tmp_path: Path) -> None:
    """C017: three tokens added in a JSON file; leading blanks and an emoji from bytes come back."""
    sentencepiece_folder(tmp_path)
    base = like_sentencepiece().get_vocab_size()
    write(tmp_path / "added_tokens.json", {"<tool>": base + 1, "<think>": base, "</think>": base + 2})
    tokenizer = Tokenizer.from_folder(tmp_path)
    assert tokenizer.vocab == base + 3
    for text in ("<think>a</think>", "   hello <tool>", "🌳<tool>  hello", " <think>"):
        ids = tokenizer.encode(text, add_special=False)
        assert max(ids) >= base
    text = " hello 🌳 the list<tool>"
    assert tokenizer.decode(tokenizer.encode(text, add_special=False)) == text
    assert base not in tokenizer.special_ids


def test_c017_a_side_file_with_other_ids_is_refused(tmp_path: Path) -> None:
    """C017: the ids in the side file leave a hole."""
    sentencepiece_folder(tmp_path)
    write(tmp_path / "added_tokens.json", {"<tool>": 900})
    with pytest.raises(TokenizerError, match="900"):
        Tokenizer.from_folder(tmp_path)


def test_tokens_described_in_the_config(tmp_path: Path) -> None:
    base = byte_level().get_vocab_size()
    described = {
        str(base): {"content": "<hidden>", "special": True},
        str(base + 1): {"content": "<shown>", "special": False},
        "8": {"content": byte_level().id_to_token(8), "special": True},
    }
    tokenizer = Tokenizer.from_folder(byte_level_folder(tmp_path, added_tokens_decoder=described))
    assert tokenizer.encode("<hidden><shown>", add_special=False) == [base, base + 1]
    assert tokenizer.special_ids == {*range(9), base}


def test_special_tokens_written_in_every_known_way(tmp_path: Path) -> None:
    """As text, as an object, in the map only; a name without a token counts for nothing."""
    library = byte_level()
    library.add_tokens([AddedToken("<end>", normalized=False), AddedToken("<extra>", normalized=False)])
    base = byte_level().get_vocab_size()
    save(tmp_path, library, bos_token={"content": "<|start|>"}, eos_token="<end>", unk_token=None, pad_token="<none>")
    write(tmp_path / "special_tokens_map.json", {"eos_token": "<|im_end|>", "additional_special_tokens": ["<extra>"]})
    tokenizer = Tokenizer.from_folder(tmp_path)
    assert (tokenizer.bos_id, tokenizer.eos_id, tokenizer.stop_ids) == (1, base, frozenset({2, base}))
    assert {base, base + 1} <= tokenizer.special_ids and tokenizer.vocab == base + 2


def test_start_token_by_the_post_processor_or_by_the_config(tmp_path: Path) -> None:
    library = byte_level()
    library.post_processor = processors.TemplateProcessing(single="<|start|> $A", special_tokens=[("<|start|>", 1)])
    assert read_folder(save(tmp_path, library, bos_token="<|start|>")).adds_bos
    assert not read_folder(save(tmp_path, library, bos_token="<|start|>", add_bos_token=False)).adds_bos
    assert not read_folder(save(tmp_path, library)).adds_bos
    assert not read_folder(save(tmp_path, byte_level(), add_bos_token=True)).adds_bos
    assert read_folder(save(tmp_path, byte_level(), bos_token="<|start|>", add_bos_token=True)).adds_bos


def test_prompts_are_not_cut_by_what_an_exporter_left_in(tmp_path: Path) -> None:
    library = byte_level()
    library.enable_truncation(4)
    library.enable_padding(length=64)
    tokenizer = Tokenizer.from_folder(save(tmp_path, library))
    assert tokenizer.decode(tokenizer.encode("nine chars", add_special=False)) == "nine chars"


def test_an_empty_folder_and_damaged_files(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match=r"tokenizer\.json is missing"):
        Tokenizer.from_folder(tmp_path)
    byte_level_folder(tmp_path)
    (tmp_path / "special_tokens_map.json").write_text("{", encoding="utf-8")
    with pytest.raises(CorruptFile, match="special_tokens_map"):
        Tokenizer.from_folder(tmp_path)
    (tmp_path / "tokenizer.json").write_text('{"model": 3}', encoding="utf-8")
    with pytest.raises(TokenizerError, match="cannot be read"):
        Tokenizer.from_folder(tmp_path)


def test_a_decoder_we_cannot_stream_is_refused(tmp_path: Path) -> None:
    library = byte_level()
    library.decoder = tokenizers.decoders.WordPiece()
    with pytest.raises(TokenizerError, match="WordPiece"):
        Tokenizer.from_folder(save(tmp_path, library))
