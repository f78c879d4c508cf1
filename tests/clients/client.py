"""The official Python SDK in a session with Quipu, over stdio or HTTP.

python client.py stdio QUIPU FOLDER
python client.py http URL
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


def server(arguments):
    match arguments:
        case ["stdio", quipu, folder]:
            return stdio_client(StdioServerParameters(command=quipu, args=["-C", folder, "mcp"]))
        case ["http", url]:
            return url
    sys.exit(__doc__)


async def session(client, mode):
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"brief", "recall", "remember", "session"} <= tools, tools

    started = await client.call_tool("session", {"action": "start", "agent": "python", "format": "json"})
    assert not started.is_error, started
    session_id = started.structured_content["id"]

    fridge = f"{mode} fridge of the {sys.argv[1]} floor"
    text = f"The Python client keeps its lunch in the {fridge}"
    kept = await client.call_tool("remember", {"text": text, "session": session_id, "format": "json"})
    assert not kept.is_error, kept
    question = {"query": f"what is in the {fridge}?"}
    told = await client.call_tool("recall", question)
    assert told.structured_content is None, told
    assert told.content[0].text.startswith("- ["), told
    found = await client.call_tool("recall", {**question, "format": "json"})
    results = found.structured_content["results"]
    assert results[0]["text"] == text, results
    assert results[0]["id"] == kept.structured_content["id"], results

    wrong = await client.call_tool("recall", {})
    assert wrong.is_error and "query" in wrong.content[0].text, wrong

    resources = (await client.list_resources()).resources
    assert any(str(one.uri) == "quipu://brief" for one in resources), resources
    brief = await client.read_resource("quipu://brief")
    assert fridge in brief.contents[0].text, brief
    prompt = await client.get_prompt("start", {"task": "lunch"})
    assert "lunch" in prompt.messages[0].content.text, prompt

    ended = await client.call_tool(
        "session", {"action": "end", "did": ["Found the lunch"], "session": session_id}
    )
    assert "memory/sessions/" in ended.content[0].text, ended


async def main():
    arguments = sys.argv[1:]
    for mode in ("auto", "legacy"):
        async with Client(server(arguments), mode=mode) as client:
            await session(client, mode)
            print(f"python SDK, {arguments[0]}, {mode}: protocol {client.protocol_version}")


asyncio.run(main())
