# SPDX-License-Identifier: Apache-2.0
"""A model on 127.0.0.1 for agents' own programs: it speaks the three wires that
they use (Anthropic messages, OpenAI responses, OpenAI chat completions), keeps
every request, and calls Jezero's search once in a conversation.

    with ModelServer(query="invoice export") as model:
        model.url, model.requests

It knows no secret and no network: what an agent would have sent to a model can
be read in requests.
"""

import http.server
import json
import threading

ANSWER = "All done."


class ModelServer:
    """query: what the search is called with; None: no tool is called."""

    def __init__(self, query=None):
        self.query = query
        self.requests = []
        self.lock = threading.Lock()
        outer = self

        class Handler(_Handler):
            model = outer

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def keep(self, path, body):
        with self.lock:
            self.requests.append((path, body))

    def texts(self):
        """Every request as JSON text, oldest first."""
        with self.lock:
            return [json.dumps(body, ensure_ascii=False)
                    for _, body in self.requests]

    def tool(self, names, text):
        """The tool to call now: the one whose name ends in search, unless the
        conversation holds its call already."""
        found = [name for name in names
                 if "jezero" in name and name.endswith("search")]
        if self.query is None or not found or '"call_jz' in text:
            return None
        return found[0]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model = None

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.give(200, "text/plain", b"")

    def do_GET(self):
        models = {"object": "list", "data": [{"id": "m1", "object": "model"}],
                  "models": []}
        self.give(200, "application/json", json.dumps(models).encode())

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        try:
            body = json.loads(data or b"{}")
        except ValueError:
            body = {}
        path = self.path.split("?")[0]
        self.model.keep(path, body)
        for end, wire in (("/messages/count_tokens", count_tokens),
                          ("/messages", messages), ("/responses", responses),
                          ("/chat/completions", completions)):
            if path.endswith(end):
                self.answer(wire, body)
                return
        self.give(200, "application/json", b"{}")

    def answer(self, wire, body):
        plain, events = wire(self.model, body)
        if not body.get("stream"):
            self.give(200, "application/json", json.dumps(plain).encode())
            return
        text = "".join(
            ("event: %s\n" % name if name else "") +
            "data: %s\n\n" % (data if isinstance(data, str)
                              else json.dumps(data))
            for name, data in events)
        self.give(200, "text/event-stream", text.encode())

    def give(self, status, kind, data):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


# --- Anthropic messages ---

def count_tokens(_model, _body):
    return {"input_tokens": 10}, []


def messages(model, body):
    names = [tool.get("name", "") for tool in body.get("tools", [])]
    name = model.tool(names, json.dumps(body.get("messages", [])))
    usage = {"input_tokens": 10, "output_tokens": 5}
    if name:
        block = {"type": "tool_use", "id": "call_jz1", "name": name,
                 "input": {"query": model.query}}
        reason = "tool_use"
        empty = dict(block, input={})
        delta = {"type": "input_json_delta",
                 "partial_json": json.dumps(block["input"])}
    else:
        block = {"type": "text", "text": ANSWER}
        reason = "end_turn"
        empty = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": ANSWER}
    message = {"id": "msg_1", "type": "message", "role": "assistant",
               "model": body.get("model", "m1"), "content": [block],
               "stop_reason": reason, "stop_sequence": None, "usage": usage}
    events = [
        ("message_start", {"type": "message_start",
                           "message": dict(message, content=[],
                                           stop_reason=None)}),
        ("content_block_start", {"type": "content_block_start", "index": 0,
                                 "content_block": empty}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0,
                                 "delta": delta}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        ("message_delta", {"type": "message_delta",
                           "delta": {"stop_reason": reason,
                                     "stop_sequence": None},
                           "usage": {"output_tokens": 5}}),
        ("message_stop", {"type": "message_stop"}),
    ]
    return message, events


# --- OpenAI responses ---

def responses(model, body):
    names = []
    for tool in body.get("tools", []):
        names.append(tool.get("name", ""))
        for inner in tool.get("tools", []):  # a namespace of tools
            names.append((tool.get("name", ""), inner.get("name", "")))
    flat = [name if isinstance(name, str) else "__".join(name)
            for name in names]
    wanted = model.tool(flat, json.dumps(body.get("input", [])))
    if wanted:
        name = names[flat.index(wanted)]
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_jz1",
                "arguments": json.dumps({"query": model.query}),
                "status": "completed"}
        if isinstance(name, tuple):
            item.update(namespace=name[0], name=name[1])
        else:
            item["name"] = name
    else:
        item = {"type": "message", "id": "msg_1", "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": ANSWER,
                             "annotations": []}]}
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
             "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": "resp_1", "object": "response", "status": "completed",
                "model": body.get("model", "m1"), "output": [item],
                "usage": usage}
    events = [
        ("response.created", {"type": "response.created",
                              "response": dict(response, output=[],
                                               status="in_progress",
                                               usage=None)}),
        ("response.output_item.added", {"type": "response.output_item.added",
                                        "output_index": 0, "item": item}),
        ("response.output_item.done", {"type": "response.output_item.done",
                                       "output_index": 0, "item": item}),
        ("response.completed", {"type": "response.completed",
                                "response": response}),
    ]
    return response, events


# --- OpenAI chat completions ---

def completions(model, body):
    names = [tool.get("function", {}).get("name", "")
             for tool in body.get("tools", [])]
    name = model.tool(names, json.dumps(body.get("messages", [])))
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    base = {"id": "chat_1", "created": 1790000000,
            "model": body.get("model", "m1")}
    if name:
        call = {"id": "call_jz1", "type": "function",
                "function": {"name": name,
                             "arguments": json.dumps({"query": model.query})}}
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
        part = {"role": "assistant", "tool_calls": [dict(call, index=0)]}
        reason = "tool_calls"
    else:
        said = {"role": "assistant", "content": ANSWER}
        part = said
        reason = "stop"
    chunk = dict(base, object="chat.completion.chunk")
    events = [
        (None, dict(chunk, choices=[{"index": 0, "delta": part,
                                     "finish_reason": None}])),
        (None, dict(chunk, choices=[{"index": 0, "delta": {},
                                     "finish_reason": reason}], usage=usage)),
        (None, "[DONE]"),
    ]
    plain = dict(base, object="chat.completion", usage=usage,
                 choices=[{"index": 0, "message": said,
                           "finish_reason": reason}])
    return plain, events
