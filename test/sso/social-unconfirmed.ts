import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import { eventually } from '../support/harness.ts';
import { newAddress, signUp, tenantFor } from '../support/people.ts';
import { type ProviderRecord, refusalIn } from './home.ts';
import { type SocialStage, secret } from './social-stage.ts';

/** `stage` is called after the suite has started it. */
export function testUnconfirmed(stage: () => SocialStage): void {
  test('a provider of the platform opens no session until a caller who may grant everything confirms its last change', async () => {
    const { stack, op, save, enter } = stage();
    const call = (operation: string, request: object, token?: string) =>
      stack.call(operation, request, token);
    const owner = await signUp(stack);
    const bot = await createBot(stack, await tenantFor(stack, owner.id), owner.token);
    const Grant = { Platform: true, Bot: bot.ID, Role: 'platform-owner' };
    bodyOf(await call('BotGrants_Add', { Grant }, stack.platformKey));
    const Permissions = ['iam.platform.sso.write', 'iam.platform.sso.read'];
    const { Secret: key } = await createKey(stack, bot, stack.platformKey, { Permissions });
    const buttons = async () =>
      (bodyOf(await call('Sso_ListSocialProviders', {}))['Providers'] as Array<{ ID: string }>).map(
        ({ ID }) => ID,
      );

    const fields = { Name: 'Mallory', Kind: 'oidc', Issuer: op.issuer, ClientID: 'Mallory' };
    const provider = recordIn(await save(fields, key), 'Provider') as ProviderRecord & {
      Unconfirmed: boolean;
      SavedBy: string;
      UpdatedAt: string;
    };
    op.setClient({ id: 'Mallory', redirectUris: [provider.RedirectURI], secret });
    assert.deepEqual([provider.Unconfirmed, provider.SavedBy], [true, bot.ID]);
    const person = { sub: 'mallory', email: newAddress() };
    const refused = refusalIn(await enter(person, { provider }));
    assert.equal(refused.status, 403);
    assert.match(refused.Message, /waits for a confirmation/);
    const version = { ID: provider.ID, IfUpdatedAt: provider.UpdatedAt };
    assertRefused(await call('Sso_ConfirmProvider', version, key), 403, 'permission_denied');
    bodyOf(await call('Sso_ConfirmProvider', version, stack.platformKey));
    await eventually('the button', async () => (await buttons()).includes(provider.ID));
    const { token } = await enter(person, { provider });
    assert.ok(token);
    bodyOf(
      await call(
        'Sso_SaveProvider',
        { Provider: { ID: provider.ID, Name: 'Mallory', AttributeMap: { Name: 'nick' } } },
        key,
      ),
    );
    bodyOf(await call('Account_Get', {}, token));
    assert.equal(refusalIn(await enter(person, { provider })).status, 403);
    bodyOf(await call('Sso_DeleteProvider', { ID: provider.ID }, stack.platformKey));
  });
}
