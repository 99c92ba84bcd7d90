import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { leaseMs } from '@bailiwick/broker';
import { createToken } from '@bailiwick/contract';
import { serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeBoth, eventually, type OwnStack, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { ringLine } from './instance.ts';

// Secret files are replaced during operation, without a restart.

function write(file: string, text: string): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${text.trimEnd()}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}

const textOf = (file: string) => readFileSync(file, 'utf8');

/** How often each of the named processes has reloaded a file. */
const reloadsOf = (
  stack: OwnStack,
  names: readonly (typeof serviceNames)[number][],
  file: string,
) => names.map((name) => stack.logOf(name).split(`reloaded ${file}"`).length - 1);

/**
 * Replaces a file or the contents of a folder, and waits until all of its readers have reloaded it.
 */
async function replace(
  stack: OwnStack,
  names: readonly (typeof serviceNames)[number][],
  watched: string,
  change: () => void,
): Promise<void> {
  const before = reloadsOf(stack, names, watched);
  // In one process, each service reads the file itself.
  const times = stack.processes.has('bailiwick') ? names.length : 1;
  change();
  await eventually(`${watched} in ${names.join()}`, () =>
    Promise.resolve(
      reloadsOf(stack, names, watched).every((now, index) => now >= (before[index] ?? 0) + times),
    ),
  );
}

const ringReaders = ['identity', 'access', 'sso', 'notifications'] as const;

describeBoth('secrets in files', (topology) => {
  let stack: OwnStack;
  before(async () => {
    stack = await startStack(topology);
  });
  after(() => stack?.stop());

  test('a new platform key takes effect, and the old one ends everywhere within a lease', async () => {
    const file = stack.wiring.secrets.platformKeyFile;
    const next = createToken('botKey');
    const list = (token: string) => stack.call('Users_List', { Page: {} }, token);
    bodyOf(await list(stack.platformKey));
    await replace(stack, ['identity'], file, () => write(file, next));
    bodyOf(await list(next));
    await eventually(
      'the end of the old key',
      async () => (await list(stack.platformKey)).status === 401,
      leaseMs + 500,
    );
    assertRefused(await list(stack.platformKey), 401, 'unauthenticated');

    write(file, 'no token');
    await eventually('the warning', () =>
      Promise.resolve(stack.logOf('identity').includes(`reloading ${file} failed`)),
    );
    bodyOf(await list(next));
  });

  test('a new worker token takes effect, and the old one ends everywhere within a lease', async () => {
    const file = stack.wiring.secrets.workerTokenFile;
    const next = createToken('worker');
    // Rejected for the request, not for the credential.
    const status = async (token: string) =>
      (await stack.call('Webhooks_Deliver', {}, token)).status;
    assert.equal(await status(stack.workerToken), 400);
    await replace(stack, ['identity'], file, () => write(file, next));
    assert.equal(await status(next), 400);
    await eventually(
      'the end of the old token',
      async () => (await status(stack.workerToken)) === 401,
      leaseMs + 500,
    );
  });

  test('a key ring gets a new key, which then becomes the first: sealed data opens, and cursors stay valid', async () => {
    const file = stack.wiring.secrets.keyRingFile;
    const old = textOf(file);
    const added = ringLine('added');
    const { token } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    const endpoint = { Tenant: tenant, Name: 'hooks', URL: `${stack.inboxUrl}/hooks/ring` };
    bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint: endpoint }, token));
    for (const path of ['a', 'b'])
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: path } }, token));
    const list = (Page: object) => stack.call('Groups_List', { Tenant: tenant, Page }, token);
    const { NextCursor: cursor } = bodyOf(await list({ Limit: 1 }))['Page'] as {
      NextCursor: string;
    };

    await replace(stack, ringReaders, file, () => write(file, `${old}${added}`));
    await replace(stack, ringReaders, file, () => write(file, `${added}\n${old}`));
    bodyOf(await list({ Limit: 1, Cursor: cursor }));
    await signUp(stack);
    const [{ ID: id } = assert.fail()] = (
      bodyOf(await stack.call('Webhooks_ListEndpoints', { Tenant: tenant }, token))['Page'] as {
        Items: Array<{ ID: string }>;
      }
    ).Items;
    bodyOf(await stack.call('Webhooks_SendTest', { Tenant: tenant, ID: id }, token));
    const keys = bodyOf(await stack.call('Keys_Status', {}, await platformKeyOf(stack)))[
      'KeyEncryptionKeys'
    ] as Array<{ ID: string; Current: boolean }>;
    assert.deepEqual(
      keys.filter(({ Current }) => Current).map(({ ID }) => ID),
      ['added'],
    );
  });
});

/** The key that the earlier tests have set. */
function platformKeyOf(stack: OwnStack): Promise<string> {
  const file = stack.wiring.secrets.platformKeyFile;
  const token = createToken('botKey');
  return replace(stack, ['identity'], file, () => write(file, token)).then(() => token);
}

describe('caller keys', () => {
  let stack: OwnStack;
  before(async () => {
    stack = await startStack('five processes');
  });
  after(() => stack?.stop());

  test('each process gets a new caller key under load, with both public keys known meanwhile, and no call fails', async () => {
    const { publicKeysDir, callerKeyFile } = stack.wiring.secrets;
    const { token } = await signUp(stack);
    const failures: string[] = [];
    let isOver = false;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const answer = await stack.call('Account_Get', {}, token);
        if (answer.status !== 200) failures.push(JSON.stringify(answer.body));
      }
    });
    const verifiers = ringReaders;
    const publicFile = (name: string) => path.join(publicKeysDir, `${name}.pub`);
    const keys = new Map(
      serviceNames.map((name) => [name, generateKeyPairSync('ed25519').privateKey]),
    );
    const publicOf = (name: (typeof serviceNames)[number]) =>
      createPublicKey(keys.get(name) ?? assert.fail())
        .export({ type: 'spki', format: 'pem' })
        .toString();
    const before = new Map(serviceNames.map((name) => [name, textOf(publicFile(name))]));

    await replace(stack, verifiers, publicKeysDir, () =>
      serviceNames.forEach((name) =>
        write(publicFile(name), `${before.get(name)}${publicOf(name)}`),
      ),
    );
    for (const name of serviceNames) {
      const file = callerKeyFile(name);
      await replace(stack, [name], file, () =>
        write(
          file,
          keys.get(name)?.export({ type: 'pkcs8', format: 'pem' }).toString() ?? assert.fail(),
        ),
      );
    }
    await replace(stack, verifiers, publicKeysDir, () =>
      serviceNames.forEach((name) => write(publicFile(name), publicOf(name))),
    );
    await signUp(stack);
    isOver = true;
    await Promise.all(load);
    assert.deepEqual(failures, []);
  });
});
