import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import {
  create,
  createFileRegistry,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type Message,
  toBinary,
} from '@bufbuild/protobuf';
import { type Any, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Code } from '@connectrpc/connect';

// The messages of Connect's conformance suite, and how its runner exchanges them with the client or
// the server under test. The messages are read from the suite's own module.

const area = 'connectrpc.conformance.v1';

export type Suite = ReturnType<typeof readSuite>;

/** `image` is the FileDescriptorSet of the suite's proto files. */
export function readSuite(image: Uint8Array) {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  const methods = registry.getService(`${area}.ConformanceService`)?.methods ?? [];
  return {
    message(name: string): DescMessage {
      const message = registry.getMessage(`${area}.${name}`);
      if (!message) throw new Error(`the suite has no message ${name}`);
      return message;
    },
    methods: methods.filter((method): method is DescMethodUnary => method.methodKind === 'unary'),
  };
}

// The fields that client and server use.

export type Header = { name: string; value: string[] };
export type Definition = {
  responseHeaders: Header[];
  responseTrailers: Header[];
  responseDelayMs: number;
  response:
    | { case: 'responseData'; value: Uint8Array }
    | { case: 'error'; value: { code: Code; message?: string; details: Any[] } }
    | { case: undefined };
};
export type UnaryRequest = Message & { responseDefinition?: Definition };
export type ServerRequest = Message & { httpVersion: number };
export type ClientRequest = Message & {
  testName: string;
  protocol: number;
  host: string;
  port: number;
  method?: string;
  requestHeaders: Header[];
  requestMessages: Any[];
  timeoutMs?: number;
  requestDelayMs: number;
  cancel?: { cancelTiming: { case?: string; value?: number } };
};

/** The suite's protocol number of gRPC, and its version number of HTTP/2. */
export const [grpc, http2] = [2, 2];

export function toHeaders(list: readonly Header[]): Headers {
  const headers = new Headers();
  for (const { name, value } of list) for (const one of value) headers.append(name, one);
  return headers;
}

export const fromHeaders = (headers: Headers): Header[] =>
  [...headers].map(([name, value]) => ({ name, value: [value] }));

/** The runner's messages, each after its length in four bytes. */
export async function* readMessages<Shape extends Message>(runner: Socket, desc: DescMessage) {
  let rest = Buffer.alloc(0);
  for await (const chunk of runner) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE();
      yield fromBinary(desc, rest.subarray(4, end)) as Shape;
      rest = rest.subarray(end);
    }
  }
}

/** Sends the runner a message in the same form. */
export function writeMessage(
  runner: Socket,
  desc: DescMessage,
  fields: Record<string, unknown>,
): void {
  const bytes = toBinary(desc, create(desc, fields as never));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  runner.write(Buffer.concat([length, bytes]));
}
