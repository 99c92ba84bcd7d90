import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@bailiwick/pipeline';
import { createLog } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Directory } from '../directory.ts';
import type { GrantInput } from '../grants/records.ts';
import { grantNotice, removalNotice } from './platform-role.ts';

// The notices of roles on the platform, with the answers of identity.

const users = ['usr_1', 'usr_2'].map((id) => ({
  id,
  name: id === 'usr_1' ? 'Ada' : '',
  email: `${id}@plain.example`,
  locale: 'en',
  status: 'active',
}));

const failing = (code: Code) =>
  ({
    proveOperator: () => Promise.reject(new ConnectError('', code)),
    getUsers: ({ ids }: { ids: string[] }) =>
      Promise.resolve({ users: users.filter(({ id }) => ids.includes(id)) }),
  }) as unknown as Directory;

const lines: string[] = [];

const depsWith = (code: Code, more: Partial<Directory> = {}) => ({
  directory: { ...failing(code), ...more },
  database: {
    query: () => Promise.resolve([{ subject: 'usr_2', all: 1 }]),
  } as unknown as Database,
  log: createLog('test', (line) => lines.push(line)),
});

const role = {
  tenant: '',
  subjectType: 'user',
  subject: 'usr_2',
  role: 'platform-support',
  resource: '',
} as GrantInput;

const callOf = (caller: object) => ({ caller }) as unknown as Call;
const byUser = callOf({ type: 'user', id: 'usr_1', credentialId: 'ses_1' });

const noticeWith = (code: Code, more: Partial<GrantInput> = {}) =>
  grantNotice(depsWith(code), { ...role, ...more }, 'Ticket 4712', byUser);

test('a user gives a role on the platform while identity is a version that cannot prove a sign-in', async () => {
  lines.length = 0;
  const { reason, tasks = [] } = await noticeWith(Code.Unimplemented);
  assert.equal(lines.filter((line) => line.includes('without the proof of a sign-in')).length, 1);
  assert.equal(reason, 'Ticket 4712');
  const [mail, ...more] = tasks;
  assert.ok(mail && more.length === 0);
  assert.match(JSON.stringify(mail), /"operatorName":"Ada"/);
  assert.equal(mail.extra['about'], 'usr_2 platform-support');
});

test('the mail about a role with an end names the end, and each end has its own limit of mails', async () => {
  const { tasks = [] } = await noticeWith(Code.Unimplemented, {
    expiresAt: timestampFromDate(new Date('2026-03-01T12:00:00Z')),
  });
  const time = '2026-03-01T12:00:00.000Z';
  assert.equal(tasks[0]?.extra['time'], time);
  assert.equal(tasks[0]?.extra['about'], `usr_2 platform-support ${time}`);
});

test('a role on one resource needs no proof, and sends no mail', async () => {
  const notice = await noticeWith(Code.PermissionDenied, { resource: 'report:8' });
  assert.deepEqual(notice, { reason: 'Ticket 4712' });
});

test('any other failure of the proof refuses the role', async () => {
  for (const code of [
    Code.PermissionDenied,
    Code.Unavailable,
    Code.DeadlineExceeded,
    Code.Internal,
  ])
    await assert.rejects(noticeWith(code), { code });
});

test('the one who loses a role gets a mail, and each operator one', async () => {
  const recipients = async (subject: string) => {
    const deps = depsWith(Code.Unimplemented);
    const { tasks = [] } = await removalNotice(
      deps,
      { ...role, subject },
      callOf({ type: 'platform', id: '' }),
    );
    return tasks.map(({ request }) => request['Email']);
  };
  assert.deepEqual(await recipients('usr_1'), ['usr_1@plain.example', 'usr_2@plain.example']);
  assert.deepEqual(await recipients('usr_2'), ['usr_2@plain.example']);
});

test('without identity, the platform key and bots remove a role, and a user does not', async () => {
  for (const code of [Code.Unavailable, Code.DeadlineExceeded]) {
    const away = () => Promise.reject(new ConnectError('', code));
    const deps = depsWith(code, { getUsers: away, getBots: away });
    for (const type of ['platform', 'bot']) {
      lines.length = 0;
      assert.deepEqual(await removalNotice(deps, role, callOf({ type, id: 'bot_1' })), {});
      assert.equal(lines.filter((line) => line.includes('without a mail')).length, 1);
    }
    await assert.rejects(removalNotice(deps, role, byUser), { code });
  }
  const getUsers = () => Promise.reject(new ConnectError('', Code.Internal));
  const broken = depsWith(Code.Internal, { getUsers });
  await assert.rejects(removalNotice(broken, role, callOf({ type: 'platform', id: '' })));
});
