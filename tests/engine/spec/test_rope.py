"""Rotary settings in every form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.spec import ModelSpec, read_spec
from engine.spec.model import RopeSpec
from tests.broken_checkpoints import write_config

LINEAR = {"rope_type": "linear", "factor": 2.0}
YARN = {"rope_type": "yarn", "factor": 4.0}
SHORT, LONG = [1.0] * 8, [2.0] * 8


def read(folder: Path, *without: str, **changes: Any) -> ModelSpec:
    return read_spec(write_config(folder, *without, **changes))


def rope(spec: ModelSpec) -> RopeSpec:
    return spec.layers[0].attention.rope


def test_c001_old_key_new_key_and_both_mean_the_same(tmp_path: Path) -> None:
    """C001: the first three files are equal."""
    old = read(tmp_path, rope_scaling={"type": "linear", "factor": 2.0})
    new = read(tmp_path, "rope_theta", rope_parameters={**LINEAR, "rope_theta": 10000.0})
    both = read(tmp_path, rope_scaling={"type": "linear", "factor": 2.0}, rope_parameters=LINEAR)
    assert old == new == both
    assert rope(old).method == "linear" and rope(old).factor == 2.0


def test_c001_two_keys_that_differ_are_refused(tmp_path: Path) -> None:
    """C001: both keys, different values; or only different methods."""
    for old in ({"type": "linear", "factor": 4.0}, {"rope_type": "dynamic", "factor": 2.0}):
        with pytest.raises(ConfigError, match="rope_parameters"):
            read(tmp_path, rope_scaling=old, rope_parameters=LINEAR)


def test_c001_an_unknown_field_is_told_and_an_unknown_method_refused(tmp_path: Path) -> None:
    """C001: extra field: warn, load; unknown method: refuse by name."""
    spec = read(tmp_path, rope_parameters={**LINEAR, "flavour": 3})
    assert rope(spec).factor == 2.0
    assert any("flavour" in warning for warning in spec.warnings)
    with pytest.raises(ConfigError, match="'spiral' is not known"):
        read(tmp_path, rope_parameters={"rope_type": "spiral", "factor": 2.0})


@pytest.mark.parametrize("method", ["linear", "dynamic", "llama3", "yarn"])
def test_c002_a_method_without_its_factor_is_refused_by_that_name(method: str, tmp_path: Path) -> None:
    """C002 (D): a block with a method but no factor."""
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, rope_parameters={"rope_type": method})
    assert caught.value.key == "rope_parameters.factor" and "missing" in caught.value.reason


def test_c002_the_base_may_stand_inside_the_block(tmp_path: Path) -> None:
    """C002: never a default base in silence where one is given."""
    assert rope(read(tmp_path, "rope_theta", rope_parameters={"rope_type": "default", "rope_theta": 5e5})).theta == 5e5
    assert rope(read(tmp_path, rope_theta=7e4)).theta == 7e4


@pytest.mark.parametrize("declared", [64, 256])
def test_c013_the_context_is_scaled_once(declared: int, tmp_path: Path) -> None:
    """C013: declared maximum already scaled, or not yet."""
    block = {**YARN, "original_max_position_embeddings": 64}
    spec = read(tmp_path, max_position_embeddings=declared, rope_parameters=block)
    assert spec.context == 256 and rope(spec).original == 64


def test_c013_without_a_trained_length_the_declared_maximum_is_it(tmp_path: Path) -> None:
    """C013: original length missing."""
    spec = read(tmp_path, max_position_embeddings=256, rope_parameters=YARN)
    assert (spec.context, rope(spec).original) == (256, 256)


def test_c013_the_extras_are_kept(tmp_path: Path) -> None:
    """C013: attention factor; both mscale values; truncation."""
    extras = {"attention_factor": 1.5, "mscale": 0.7, "mscale_all_dim": 0.8, "truncate": False, "beta_fast": 16}
    found = rope(read(tmp_path, rope_parameters={**YARN, **extras}))
    assert (found.attention_factor, found.mscale, found.mscale_all_dim) == (1.5, 0.7, 0.8)
    assert (found.truncate, found.beta_fast, found.beta_slow) == (False, 16.0, 1.0)


@pytest.mark.parametrize("name", ["su", "longrope"])
def test_c014_both_names_of_longrope_load_alike(name: str, tmp_path: Path) -> None:
    """C014: the historic name of the method, the trained length beside the block."""
    block = {"type": name, "short_factor": SHORT, "long_factor": LONG}
    spec = read(tmp_path, rope_scaling=block, original_max_position_embeddings=64)
    found = rope(spec)
    assert (found.method, found.original, found.factor) == ("longrope", 64, 2.0)
    assert found.short == tuple(SHORT) and found.long == tuple(LONG)


def test_c014_a_wrong_number_of_factors_is_refused(tmp_path: Path) -> None:
    """C014: one factor a frequency."""
    with pytest.raises(ConfigError, match="8 factors"):
        read(tmp_path, rope_scaling={"type": "su", "short_factor": SHORT[1:], "long_factor": LONG})


def test_c002_settings_for_each_kind_of_layer_are_not_read_as_absent(tmp_path: Path) -> None:
    """C002: one sub-block per layer kind: refused here, never a default base in silence."""
    nested = {"full_attention": {"rope_type": "default", "rope_theta": 1e6}}
    with pytest.raises(ConfigError, match="full_attention"):
        read(tmp_path, rope_parameters=nested)


def test_c001_a_scaling_without_its_method_is_refused(tmp_path: Path) -> None:
    """C001: never unscaled in silence. A base alone is no scaling."""
    with pytest.raises(ConfigError, match=r"rope_scaling\.rope_type: is missing"):
        read(tmp_path, rope_scaling={"factor": 2.0})
    assert rope(read(tmp_path, rope_parameters={"rope_theta": 5e5})).method == "default"


def test_c001_two_names_in_one_block(tmp_path: Path) -> None:
    """C001: the method under the old key and the new one in the same block: equal, also by alias, or refused."""
    assert rope(read(tmp_path, rope_scaling={"type": "linear", **LINEAR})).factor == 2.0
    longrope = {"short_factor": SHORT, "long_factor": LONG, "type": "su", "rope_type": "longrope"}
    assert rope(read(tmp_path, rope_scaling=longrope)).method == "longrope"
    with pytest.raises(ConfigError, match="linear, yarn"):
        read(tmp_path, rope_scaling={**YARN, "type": "linear"})


def test_c001_two_bases(tmp_path: Path) -> None:
    """C001: inside and beside the block: the inner one, with a warning; in two blocks: refused."""
    spec = read(tmp_path, rope_theta=1e4, rope_parameters={**LINEAR, "rope_theta": 5e5})
    assert rope(spec).theta == 5e5 and any("rope_theta" in warning for warning in spec.warnings)
    assert read(tmp_path, rope_theta=5e5, rope_parameters={**LINEAR, "rope_theta": 5e5}).warnings == ()
    with pytest.raises(ConfigError, match="rope_scaling"):
        read(tmp_path, rope_scaling={**LINEAR, "rope_theta": 1e4}, rope_parameters={**LINEAR, "rope_theta": 5e5})
    both = read(tmp_path, "rope_theta", rope_scaling={**LINEAR, "rope_theta": 7e4}, rope_parameters=LINEAR)
    assert rope(both).theta == 7e4


@pytest.mark.parametrize(
    ("declared", "original", "factor", "context"),
    [(40960, 32768, 4.0, 131072), (163840, 4096, 40.0, 163840), (131072, 4096, 16.0, 131072)],
)
def test_c013_the_context_is_what_is_declared_or_what_scaling_gives(
    declared: int, original: int, factor: float, context: int, tmp_path: Path
) -> None:
    """C013: neither scaled nor the trained length; exactly scaled; more than scaled."""
    block = {"rope_type": "yarn", "factor": factor, "original_max_position_embeddings": original}
    assert read(tmp_path, max_position_embeddings=declared, rope_scaling=block).context == context


def test_linear_and_dynamic_scale_from_what_is_declared(tmp_path: Path) -> None:
    """As `transformers` does: their trained length is told nowhere else."""
    for method in ("linear", "dynamic"):
        block = {"rope_type": method, "factor": 2.0, "original_max_position_embeddings": 64}
        spec = read(tmp_path, max_position_embeddings=128, rope_scaling=block)
        assert (spec.context, rope(spec).original) == (128, 128)
        assert any("original_max_position_embeddings" in warning for warning in spec.warnings)


@pytest.mark.parametrize(
    ("block", "key"),
    [
        ({**LINEAR, "factor": 0.5}, "factor"),
        ({**LINEAR, "factor": 1e9}, "factor"),
        ({**YARN, "beta_fast": -1.0}, "beta_fast"),
        ({**YARN, "mscale": "much"}, "mscale"),
        ({"rope_type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 1}, "high_freq_factor"),
        ({"rope_type": "longrope", "short_factor": SHORT, "long_factor": [0.0] * 8}, "long_factor"),
        ({**LINEAR, "rope_theta": 1.0}, "rope_theta"),
        ({**LINEAR, "partial_rotary_factor": 0.05}, "partial_rotary_factor"),
    ],
    ids=str,
)
def test_a_value_that_makes_no_embedding_is_refused_by_its_key(block: dict[str, Any], key: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, rope_scaling=block)
    assert caught.value.key == f"rope_scaling.{key}"
