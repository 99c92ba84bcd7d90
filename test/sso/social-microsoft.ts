import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { newAddress, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { goThrough, type ProviderRecord, refusalIn } from './home.ts';
import { answerAs, anyDirectory, directories, issuerOf } from './oidc/directories.ts';
import { type EvilOp, startEvilOp } from './oidc/evil-op.ts';
import type { Json } from './oidc/jwt.ts';
import type { SocialStage } from './social-stage.ts';
import { account } from './stage.ts';

// Sign-ins through a provider that takes users of all directories. The administrator of a directory
// can give its users any subject and any address.

const [own, foreign] = directories;

/** `stageOf` is called after the suite has started it. */
export function testSocialMicrosoft(stageOf: () => SocialStage): void {
  let stack: SocialStage['stack'];
  let evil: EvilOp;
  let provider: ProviderRecord;
  before(async () => {
    stack = stageOf().stack;
    evil = await startEvilOp();
    provider = await stageOf().provide('Microsoft', {
      Preset: 'microsoft',
      Issuer: anyDirectory(evil.issuer),
      TokenAuthMethod: 'none',
      // It cannot weaken what counts as verified.
      AttributeMap: { EmailVerified: 'email_verified' },
    });
  });
  after(() => evil?.stop());

  const enter = (directory: string, claims: Json) => {
    evil.forge(answerAs(evil.issuer, directory, claims));
    return goThrough(stack, stageOf().startOf(provider));
  };

  test('a user of all directories is identified by directory and subject', async () => {
    const [email, second] = [newAddress('ms'), newAddress('ms')];
    const first = await enter(own, { sub: 'm1', email, xms_edov: true });
    const { User } = await account(stack, first.token ?? '');
    assert.equal(User.Email, email);
    const [link] = await rowsOf<{ issuer: string; subject: string }>(
      stack,
      'select issuer, subject from identity.identity_link where user_id = $1',
      [User.ID],
    );
    assert.deepEqual(link, { issuer: issuerOf(evil.issuer, own), subject: 'm1' });
    // An address that is not verified any more changes nothing.
    const again = await enter(own, { sub: 'm1', email: second, xms_edov: false });
    assert.equal((await account(stack, again.token ?? '')).User.ID, User.ID);
    const other = await enter(foreign, { sub: 'm1', email: second, xms_edov: '1' });
    assert.notEqual((await account(stack, other.token ?? '')).User.ID, User.ID);
  });

  test('a foreign directory that gives its user the address of an account opens and joins nothing', async () => {
    const owner = await signUp(stack);
    const { token = '' } = await enter(own, {
      sub: 'm2',
      email: newAddress('victim'),
      xms_edov: true,
    });
    const victim = (await account(stack, token)).User;
    for (const email of [owner.email, victim.Email, newAddress('nobody')])
      for (const xms_edov of [undefined, false, '0', 'yes']) {
        const claims = { sub: 'm2', email, xms_edov, email_verified: true };
        const refused = refusalIn(await enter(foreign, claims));
        assert.equal(refused.status, 403);
        assert.match(refused.Message, /has not verified your email address/);
      }
    const waiting = 'identity.pending_link where user_id = any ($1)';
    assert.equal(await countOf(stack, waiting, [[owner.id, victim.ID]]), 0);
    const links = 'identity.identity_link where issuer = $1 and subject = $2';
    assert.equal(await countOf(stack, links, [issuerOf(evil.issuer, foreign), 'm2']), 0);
    // With a verified address the account's own user has to sign in first.
    const { page, token: none } = await enter(foreign, {
      sub: 'm2',
      email: owner.email,
      xms_edov: true,
    });
    assert.deepEqual([new URL(page.url).pathname, none], ['/login', undefined]);
    assert.equal(await countOf(stack, links, [issuerOf(evil.issuer, foreign), 'm2']), 0);
  });

  test('an ID token that names another directory in iss than in tid is refused, and so is a provider without the preset', async () => {
    const claims = { sub: 'm3', email: newAddress(), xms_edov: true };
    const mixed = await enter(own, { ...claims, tid: foreign });
    assert.match(refusalIn(mixed).Message, /answer cannot be accepted/);
    const plain = await stageOf().provide('Any directory', {
      Issuer: anyDirectory(evil.issuer),
      TokenAuthMethod: 'none',
    });
    const { page } = await goThrough(stack, stageOf().startOf(plain));
    assert.match(refusalIn({ page }).Message, /answer cannot be accepted/);
    bodyOf(await stack.call('Sso_DeleteProvider', { ID: plain.ID }, stack.platformKey));
  });
}
