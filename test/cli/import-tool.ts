import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, beforeEach } from 'node:test';
import type { ErrorProblem } from '@bailiwick/client/errors.ts';
import { type Cli, createCli } from './cli.ts';

// `bailiwick import` against a service that answers as a test wants.

export type ImportedUser = {
  Email: string;
  EmailVerified?: boolean;
  ExternalID?: string;
  Name?: string;
  PasswordHash?: string;
  Tenants?: unknown;
  Metadata?: Record<string, string>;
};
export type FailedUser = ImportedUser & {
  Verdict: { Line: number; Code: string; Messages: string[] };
};
type Refusal = {
  status: number;
  Code: string;
  Message: string;
  Problems?: readonly ErrorProblem[];
};

export type ImportTool = ReturnType<typeof importTool>;

/** Call it in a suite. The service starts before its tests, and each test begins without calls. */
export function importTool() {
  let files = 0;
  const tool = {
    cli: undefined as unknown as Cli,
    /** The users of each call of Users_Import. */
    calls: [] as ImportedUser[][],
    /** The BatchID of each of them. */
    batches: [] as string[],
    /** The addresses of the calls of Account_RequestPasswordReset. */
    mailed: [] as string[],
    /** The refusal of a call; undefined accepts it. A user called wrong… fails. */
    refuse: (_users: readonly ImportedUser[]): Refusal | undefined => undefined,
    /** The refusal of a mail. */
    refuseMail: (): Refusal | undefined => undefined,
    write(content: string | Uint8Array, kind = 'jsonl'): string {
      const file = path.join(tool.cli.home, `users-${files++}.${kind}`);
      writeFileSync(file, content);
      return file;
    },
    /** Imports a file from the system that its name ends with. */
    run: (file: string, ...more: string[]) =>
      tool.cli.run(['import', file, '--from', path.extname(file).slice(1), ...more]),
  };
  const accept = tool.refuse;
  const acceptMail = tool.refuseMail;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const refuse = ({ status, Code, Message, Problems = [] }: Refusal) =>
      void answer(status, { Code, Messages: [Message], Problems });
    const body = (await json(request)) as {
      Users: ImportedUser[];
      BatchID: string;
      Email: string;
    };
    if (request.url === '/Account_RequestPasswordReset') {
      const refusal = tool.refuseMail();
      if (!refusal) tool.mailed.push(body.Email);
      return refusal ? refuse(refusal) : void answer(200, {});
    }
    tool.calls.push(body.Users);
    tool.batches.push(body.BatchID);
    const refusal = tool.refuse(body.Users);
    if (refusal) return refuse(refusal);
    const Verdicts = body.Users.map(({ Email }) => ({
      Result: Email.startsWith('wrong') ? 'failed' : 'created',
      Email,
      ExternalID: '',
      UserID: '',
      Code: 'already_exists',
      Messages: ['taken'],
    }));
    answer(200, { Verdicts });
  }

  const server = createServer((request, response) => void serve(request, response));
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    tool.cli = createCli(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'bwkp_test');
  });
  after(() => {
    tool.cli?.remove();
    server.close();
  });
  beforeEach(() =>
    Object.assign(tool, {
      calls: [],
      batches: [],
      mailed: [],
      refuse: accept,
      refuseMail: acceptMail,
    }),
  );
  return tool;
}

export const linesOf = (users: readonly object[]): string =>
  users.map((user) => `${JSON.stringify(user)}\n`).join('');

export const failedIn = (file: string): FailedUser[] =>
  readFileSync(`${file}.failed.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FailedUser);
