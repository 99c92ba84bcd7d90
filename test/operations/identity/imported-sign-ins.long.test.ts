import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, describeOne, type Stack, startStack } from '../../support/harness.ts';
import { newAddress, password, signUp } from '../../support/people.ts';
import { bcryptHash, importedPerson } from '../access/user-import-calls.ts';

/** A hash whose comparison takes about a second of CPU. No password of this suite matches it. */
const slowHash = bcryptHash.replace('$05$', '$13$');
/** The clients of an attack: together they fill the queue, of which each may fill half. */
const [attackers, atOnce] = [3, 12];

describeOne('sign-ins beside those of imported users', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_TRUSTED_PROXIES: '127.0.0.0/8' });
  });
  after(() => stack?.stop());

  const login = (Email: string, Password: string, ip: string) =>
    stack.call('Account_Login', { Email, Password }, undefined, { 'x-forwarded-for': ip });

  async function importPeople(count: number): Promise<string[]> {
    const rows = Array.from({ length: count }, () => importedPerson({ PasswordHash: slowHash }));
    const answer = await stack.call('Users_Import', { Users: rows }, stack.platformKey);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return rows.map(({ Email }) => Email);
  }

  function assertAnswered(answers: readonly Answer[]): void {
    for (const { status, headers, body } of answers) {
      assert.ok(status === 401 || status === 429, JSON.stringify(body));
      if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1);
    }
  }

  const limited = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 429);

  /** Signs another user in until the work has ended, at least five times. */
  async function signInMeanwhile(email: string, work: Promise<unknown>): Promise<Answer[]> {
    let hasEnded = false;
    const ended = () => {
      hasEnded = true;
    };
    work.then(ended, ended);
    const answers: Answer[] = [];
    // The account has a limit of its own: 20 sign-ins a minute.
    while (answers.length < 5 || (!hasEnded && answers.length < 19))
      answers.push(await login(email, password, '198.51.100.9'));
    return answers;
  }

  test('wrong passwords of imported users, twelve at once from one address, refuse no sign-in of others', async () => {
    const other = await signUp(stack);
    const people = await importPeople(atOnce);
    const attack = Promise.all(people.map((email) => login(email, 'wrong', '192.0.2.1')));
    const signIns = await signInMeanwhile(other.email, attack);
    assert.deepEqual(
      signIns.map(({ status }) => status),
      signIns.map(() => 200),
    );
    const answers = await attack;
    assertAnswered(answers);
    assert.ok(limited(answers).length > 0, 'one client cannot fill the queue');
    assert.ok(limited(answers).length < answers.length);
  });

  test('while their queue is full, imported users and unknown addresses get the same 429, and others none', async () => {
    const other = await signUp(stack);
    const people = await importPeople(attackers * atOnce);
    const attack = Promise.all(
      people.map((email, index) => login(email, 'wrong', `192.0.2.${10 + (index % attackers)}`)),
    );
    // The attack is under way once a sign-in of an imported user is refused.
    const [victim = ''] = await importPeople(1);
    const unknown = Array.from({ length: 30 }, () => newAddress('unknown'));
    const [refused, strangers, signIns] = await Promise.all([
      login(victim, 'wrong', '198.51.100.1'),
      Promise.all(unknown.map((email, index) => login(email, 'wrong', `198.51.100.${10 + index}`))),
      signInMeanwhile(other.email, attack),
    ]);
    const answers = await attack;
    assertAnswered([...answers, ...strangers, refused]);
    assert.deepEqual(
      signIns.map(({ status }) => status),
      signIns.map(() => 200),
    );
    assert.ok(limited(answers).length > 0);
    const texts = new Set(
      limited([...answers, ...strangers]).map(
        ({ body, headers }) =>
          `${JSON.stringify({ ...body, RequestID: '' })} ${headers.get('retry-after')}`,
      ),
    );
    // Nearly all users of this stack have imported hashes, so most unknown addresses are refused.
    assert.ok(limited(strangers).length > 0, 'unknown addresses are refused too');
    assert.ok(texts.size === 1, [...texts].join('; '));
  });
});
