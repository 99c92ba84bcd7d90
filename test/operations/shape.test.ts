import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused } from '../answers.ts';
import { describeBoth, type Stack, startStack } from '../harness.ts';
import { createTenant, newAddress, password, signUp } from '../people.ts';

// What the request alone is judged by comes in one list.

describeBoth('the shape of a request', (topology) => {
  let stack: Stack;
  let ada: Awaited<ReturnType<typeof signUp>>;
  let Tenant: string;
  before(async () => {
    stack = await startStack(topology);
    ada = await signUp(stack);
    Tenant = await createTenant(stack, ada.token);
  });
  after(() => stack?.stop());

  const common = 'Password is one of the most common passwords';
  const made = "Password must not be made of the mail address or the product's name";

  async function refused(operation: string, body: object, messages: string[], token?: string): Promise<void> {
    assertRefused(await stack.call(operation, body, token), 400, 'invalid_argument', messages);
  }

  test('a password is judged beside everything else, also where the rest is of a wrong type', async () => {
    await refused('Account_Register', { Email: 'nope', Password: 'password' }, ['Email must be a mail address', common]);
    await refused('Account_Register', { Email: 7, Password: 'password' }, ['Email must be a string', 'Email is required', common]);
    await refused('Account_Register', { Email: 'lovelace@example.com', Password: 'Lovelace1' }, [made]);
    await refused('Account_ResetPassword', { Password: 'Bailiwick1' }, ['Token is required', made]);
    await refused('Account_ChangePassword', { Password: 'password' }, ['Current is required', common], ada.token);
    await refused('Users_Create', { User: { Email: 'ada@1.2.3.256' }, Password: 'password' }, ['User.Email must be a mail address', common], ada.token);
  });

  test('a password made of the address is refused where only the account tells the address', async () => {
    const email = newAddress('lovelace');
    const { token } = await signUp(stack, email);
    await refused('Account_ChangePassword', { Current: password, Password: email.split('@')[0] }, [made], token);
  });

  test('addresses of receivers are judged beside everything else', async () => {
    const https = 'must begin with https://';
    const endpoint = { Tenant, Name: '', URL: 'ftp://x' };
    await refused('Webhooks_CreateEndpoint', { Endpoint: endpoint }, ['endpoint name is required', `Endpoint.URL ${https}`], ada.token);
    await refused('Chat_CreateEndpoint', { Endpoint: { Tenant }, URL: 'ftp://x' }, ['endpoint name is required', `URL ${https}`], ada.token);
    await refused('Chat_UpdateEndpoint', { Endpoint: { Name: 'a' }, URL: 'ftp://x' }, ['endpoint id is required', `URL ${https}`], ada.token);
  });

  test('nothing is done of a request that is refused for a wrong type alone', async () => {
    const { email, token } = await signUp(stack);
    const sessions = async () => ((await stack.call('Sessions_List', {}, token)).body['Page'] as { Items: unknown[] }).Items.length;
    const before = await sessions();
    await refused('Account_Login', { Email: email, Password: password, Cookie: 'yes' }, ['Cookie must be true or false']);
    assert.equal(await sessions(), before);
  });
});
