import { bodyOf, recordIn } from './support/answers.ts';
import { createBot, createKey } from './support/bots.ts';
import { type Contention, describeContention, onName } from './support/contention.ts';
import { mailTo, newAddress, password, register, signUp, tokenIn } from './support/people.ts';

const lockUser = (id: string): Contention['lock'] => [
  'select 1 from identity.user_account where id = $1 for update',
  id,
];

describeContention(
  'concurrent calls for one row of identity, sso and notifications',
  'five processes',
  {
    async 'Account_Verify of one token'({ stack }) {
      const email = newAddress();
      await register(stack, email);
      const Token = tokenIn(await mailTo(stack, email));
      return {
        service: 'identity',
        lock: onName(`account ${email}`),
        call: () => stack.call('Account_Verify', { Token }),
      };
    },
    async 'Account_RequestPasswordReset of one address'({ stack }) {
      const { id, email } = await signUp(stack);
      return {
        service: 'identity',
        lock: lockUser(id),
        call: () => stack.call('Account_RequestPasswordReset', { Email: email }),
      };
    },
    async 'Account_ResetPassword with one token'({ stack }) {
      const { id, email } = await signUp(stack);
      bodyOf(await stack.call('Account_RequestPasswordReset', { Email: email }));
      const Token = tokenIn(await mailTo(stack, email, 2));
      return {
        service: 'identity',
        lock: lockUser(id),
        call: () => stack.call('Account_ResetPassword', { Token, Password: password }),
      };
    },
    async 'Account_Update of one user'({ stack }) {
      const { id, token } = await signUp(stack);
      return {
        service: 'identity',
        lock: lockUser(id),
        call: (index) => stack.call('Account_Update', { User: { Name: `Name ${index}` } }, token),
      };
    },
    async 'Bots_Save of one bot'({ stack, owner, asOwner, newTenant }) {
      const Tenant = await newTenant();
      const { ID } = await createBot(stack, Tenant, owner.token);
      const call = (index: number) =>
        asOwner('Bots_Save', { Bot: { Tenant, ID, Name: `Name ${index}` } });
      return {
        service: 'identity',
        lock: ['select 1 from identity.bot where id = $1 for update', ID],
        call,
      };
    },
    async 'BotKeys_Rotate of one key'({ stack, owner, asOwner, newTenant }) {
      const Tenant = await newTenant();
      const bot = await createBot(stack, Tenant, owner.token);
      const { Key } = await createKey(stack, bot, owner.token);
      const call = () => asOwner('BotKeys_Rotate', { Tenant, ID: Key.ID });
      return {
        service: 'identity',
        lock: ['select 1 from identity.bot where id = $1 for update', bot.ID],
        call,
      };
    },

    async 'Domain_Update of one domain'({ asOwner, newTenant }) {
      const Tenant = await newTenant();
      const { ID } = recordIn(
        await asOwner('Domain_Create', { Tenant, Name: 'contended.example' }),
        'Domain',
      ) as { ID: string };
      const call = (index: number) =>
        asOwner('Domain_Update', { Tenant, ID, DefaultRole: index % 2 === 0 ? 'admin' : 'member' });
      return {
        service: 'sso',
        lock: ['select 1 from sso.domain where id = $1 for update', ID],
        call,
      };
    },
    async 'Sso_SaveProvider of one provider'({ asOwner, newTenant }) {
      const Tenant = await newTenant();
      const provider = {
        Tenant,
        Name: 'Staff',
        Kind: 'oidc',
        Issuer: 'https://login.example',
        ClientID: 'bailiwick',
      };
      const { ID } = recordIn(
        await asOwner('Sso_SaveProvider', { Provider: provider, Secret: 'a secret' }),
        'Provider',
      ) as { ID: string };
      const call = (index: number) =>
        asOwner('Sso_SaveProvider', { Provider: { ...provider, ID, Name: `Name ${index}` } });
      return {
        service: 'sso',
        lock: ['select 1 from sso.provider where id = $1 for update', ID],
        call,
      };
    },

    async 'Webhooks_UpdateEndpoint of one endpoint'({ owner, asOwner, newTenant, makeEndpoint }) {
      const Endpoint = await makeEndpoint(owner, await newTenant());
      const call = (index: number) =>
        asOwner('Webhooks_UpdateEndpoint', { Endpoint: { ...Endpoint, Name: `Name ${index}` } });
      return {
        service: 'notifications',
        lock: [
          'select 1 from notifications.webhook_endpoint where id = $1 for update',
          Endpoint.ID,
        ],
        call,
      };
    },
    async 'Webhooks_RotateSecret of one endpoint'({ owner, asOwner, newTenant, makeEndpoint }) {
      const Tenant = await newTenant();
      const { ID } = await makeEndpoint(owner, Tenant);
      const call = () => asOwner('Webhooks_RotateSecret', { Tenant, ID });
      return {
        service: 'notifications',
        lock: ['select 1 from notifications.webhook_endpoint where id = $1 for update', ID],
        call,
      };
    },
  },
);
