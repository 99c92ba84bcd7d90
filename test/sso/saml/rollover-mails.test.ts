import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { type Mail, mailsTo } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';
import { certificateFor, createKeys, type Rollover, startRollover } from './rollover-stage.ts';
import type { Keys } from './texts.ts';

// The mails to a tenant's owners about the certificates of its SAML provider.

describeOne('mails about the certificates of a SAML provider', 'one process', (topology) => {
  let stage: Rollover;
  let old: Keys;
  let next: Keys;
  before(async () => {
    stage = await startRollover(sharedStack(topology));
    [old, next] = await Promise.all([createKeys('old'), createKeys('next')]);
  });
  after(() => stage?.stop());

  const mails = async (subject: string): Promise<Mail[]> =>
    (await mailsTo(stage.stack, stage.home.owner.email)).filter(
      ({ Subject }) => Subject === subject,
    );
  const mail = (subject: string) => eventually(subject, async () => (await mails(subject))[0]);

  test('owners get a mail when a certificate is announced, waits for them, and counts', async () => {
    const { provide, serve, readAgain, move, remove } = stage;
    serve([old]);
    const provider = await provide({ Name: 'Acme staff' });
    serve([old, next]);
    await readAgain(provider);
    const { Text } = await mail('A new certificate for single sign-on');
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });
    const tomorrow = day.format(new Date(Date.now() + 86_400_000));
    assert.ok(Text.includes('“Acme staff”') && Text.includes(tomorrow), Text);
    await move(provider, 'pending_certificates', 'countsAt');
    await mail('The certificates for single sign-on have changed');
    await remove(provider);
    serve([old]);
    const asking = await provide({ Name: 'Asking', CertificateChanges: 'ask' });
    serve([old, next]);
    await readAgain(asking);
    const waiting = await mail('A new certificate waits for a confirmation');
    assert.ok(waiting.Text.includes('“Asking”'), waiting.Text);
    assert.equal((await mails('A new certificate for single sign-on')).length, 1);
    await remove(asking);
  });

  test('owners get a mail in their language 30 and 7 days before the last certificate expires', async () => {
    const { stack, home, idp, save, events, read, remove } = stage;
    const locale = { User: { Locale: 'de' } };
    bodyOf(await stack.call('Account_Update', locale, home.owner.token));
    const fields = {
      Kind: 'saml',
      IdpEntityID: idp.entityId,
      IdpSsoURL: idp.ssoUrl,
    };
    const provide = async (Name: string, certificates: string[], more: object = {}) => {
      const saved = await save({ ...fields, Name, IdpCertificates: certificates, ...more });
      return bodyOf(saved)['Provider'] as Awaited<ReturnType<typeof read>>;
    };
    const looked = async (provider: { ID: string }) => {
      const at = 'update sso.provider set certificates_due_at = now() where id = $1';
      await rowsOf(stack, at, [provider.ID]);
      await eventually('the look', async () => {
        const [row] = await rowsOf<{ done: boolean }>(
          stack,
          `select certificates_due_at > now() + interval '11 minutes' as done from sso.provider where id = $1`,
          [provider.ID],
        );
        return row?.done === true;
      });
    };
    const [short, week, long] = [
      await certificateFor(29),
      await certificateFor(6.5),
      await certificateFor(400),
    ];
    const expiring = await provide('In 29 Tagen', [short]);
    const event = await eventually('the event', async () => (await events(expiring))[0]);
    assert.equal(event.type, 'sso.certificate_expiring');
    assert.equal(event.data['CertificatesExpireAt'], expiring.CertificatesExpireAt);
    const { Text } = await mail('Das Zertifikat für Single Sign-on läuft bald ab');
    assert.ok(Text.includes('„In 29 Tagen“'), Text);
    await looked(expiring);
    assert.equal((await events(expiring)).length, 1);
    // Another certificate that expires sooner is announced in its turn, and so are seven days.
    bodyOf(await save({ ID: expiring.ID, IdpCertificates: [week] }));
    await eventually('the second event', async () => (await events(expiring)).length === 2);
    await looked(expiring);
    assert.equal((await events(expiring)).length, 2);
    const going = await provide('Zwei', [short, long]);
    const off = await provide('Aus', [week], { Active: false });
    for (const provider of [going, off]) {
      await looked(provider);
      assert.deepEqual(await events(provider), []);
    }
    for (const provider of [expiring, going, off]) await remove(provider);
  });
});
