import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@bailiwick/pipeline';
import { createLog } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Directory } from '../directory.ts';
import type { GrantInput } from '../grants/records.ts';
import { givenNotice } from './platform-role.ts';

// What identity answers about the sign-in of a user who gives a role on the platform.

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

const noticeWith = (code: Code, more: Partial<GrantInput> = {}) =>
  givenNotice(
    {
      directory: failing(code),
      database: {
        query: () => Promise.resolve([{ subject: 'usr_2', all: 1 }]),
      } as unknown as Database,
      log: createLog('test', (line) => lines.push(line)),
    },
    {
      tenant: '',
      subjectType: 'user',
      subject: 'usr_2',
      role: 'platform-support',
      resource: '',
      ...more,
    } as GrantInput,
    'Ticket 4712',
    { caller: { type: 'user', id: 'usr_1', credentialId: 'ses_1' } } as unknown as Call,
  );

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
  assert.deepEqual(notice, { reason: 'Ticket 4712', tasks: [] });
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
