"""Chat templates in the styles of today's model families, written for the tests."""

from __future__ import annotations

from tests.tiny_tokenizers import CHATML

HEADERS = """{{- bos_token }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' + message.content | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"""

BRACKETS = """{%- if messages[0].role == 'system' %}
    {%- set system = messages[0].content %}{% set rest = messages[1:] %}
{%- else %}
    {%- set rest = messages %}
{%- endif %}
{{- bos_token }}
{%- for message in rest %}
    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('After the system, user and assistant must take turns.') }}
    {%- endif %}
    {%- if message.role == 'user' and loop.first and system is defined %}
        {{- '[INST] ' + system + '\n\n' + message.content + ' [/INST]' }}
    {%- elif message.role == 'user' %}
        {{- '[INST] ' + message.content + ' [/INST]' }}
    {%- else %}
        {{- ' ' + message.content | trim + eos_token }}
    {%- endif %}
{%- endfor %}"""

TURNS = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('No system role.') }}{% endif %}
{% for message in messages %}
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate.') }}{% endif %}
{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}
{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}
{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"""

ENDS = """{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>\n' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>\n' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>\n' + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}"""

SHORT = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>\n' + message['content'] + '<|end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}"
)

THINKS_IN_HISTORY = """{%- for message in messages %}
    {%- set text = message.content %}
    {%- if message.role == 'assistant' %}
        {%- set thought = '' %}
        {%- if '</think>' in text %}
            {%- set thought = text.split('</think>')[0].split('<think>')[-1].strip('\n') %}
            {%- set text = text.split('</think>')[-1].lstrip('\n') %}
        {%- endif %}
        {%- if loop.last %}
            {%- set text = '<think>\n' + thought + '\n</think>\n\n' + text %}
        {%- endif %}
    {%- endif %}
    {{- '<|im_start|>' + message.role + '\n' + text + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{% endif %}"""

THINKS_WHEN_ASKED = """{{- bos_token }}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}{{- '<A>' + message.content.split('</think>')[-1] + eos_token }}
    {%- else %}{{- '<U>' + message.content }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<A><think>\n' }}{% endif %}"""

STYLES = {
    "chatml": CHATML,
    "headers": HEADERS,
    "brackets": BRACKETS,
    "turns": TURNS,
    "ends": ENDS,
    "short": SHORT,
    "thinks in history": THINKS_IN_HISTORY,
    "thinks when asked": THINKS_WHEN_ASKED,
}
