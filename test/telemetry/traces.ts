import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type Answer,
  eventually,
  type Stack,
  startStack,
  type Topology,
} from '../support/harness.ts';
import { caughtBy } from '../support/people.ts';
import { textBelow } from '../support/store.ts';
import { type CollectedSpan, type Collector, kinds, startCollector } from './collector.ts';
import { type Journey, travel } from './journey.ts';
import { scrapeAll } from './scrape.ts';
import { assertLineage, type ExpectedSpan, isExpected, traceOf } from './spans.ts';

export const traceId = '0af7651916cd43dd8448eb211c80319c';

const gateway = 'bailiwick-gateway';
const identity = 'bailiwick-identity';
const access = 'bailiwick-access';
const notifications = 'bailiwick-notifications';

/** One trace from the gateway to the mail and to the webhook, as an OTLP collector gets it. */
export function testTraces(topology: Exclude<Topology, 'one process'>): void {
  describe(`traces (${topology})`, () => {
    let collector: Collector;
    let stack: Stack;
    let journey: Journey;
    before(async () => {
      collector = await startCollector();
      stack = await startStack(topology, collector.environment);
      journey = await travel(stack);
    });
    after(async () => {
      await stack?.stop();
      await collector.stop();
    });

    test('Account_Register is one trace from the gateway to the mail', async () => {
      const mail = (span: CollectedSpan) => span.name === 'smtp send';
      const spans = await traceOf(collector, 'POST /Account_Register', (list) => list.some(mail));
      const register = 'bailiwick.identity.v1.Account/Register';
      assertLineage(spans, spans.find(mail) ?? assert.fail(), [
        { service: gateway, name: 'POST /Account_Register', kind: kinds.server },
        { service: gateway, name: register, kind: kinds.client },
        { service: identity, name: register, kind: kinds.server },
        { service: identity, name: 'transaction', kind: kinds.client },
        { service: identity, name: 'publish TASK', kind: kinds.producer },
        { service: notifications, name: 'process TASK', kind: kinds.consumer, group: 'lane-email' },
        {
          service: notifications,
          name: 'bailiwick.notifications.v1.AccountTasks/SendEmailVerification',
          kind: kinds.internal,
        },
        { service: notifications, name: 'smtp send', kind: kinds.client },
      ]);
      const hop = spans.find(({ name, kind }) => name === register && kind === kinds.client);
      assert.equal(
        hop?.attributes['rpc.system.name'],
        topology === 'five processes' ? 'connectrpc' : 'grpc',
      );
    });

    test('Groups_Save is one trace from the gateway to the webhook, its retry and the audit', async () => {
      const attempt = (number: number) => (span: CollectedSpan) =>
        span.name === 'POST webhook' && span.attributes['http.request.resend_count'] === number - 1;
      const audit = { service: access, name: 'process EVT', kind: kinds.consumer, group: 'audit' };
      const spans = await traceOf(
        collector,
        'POST /Groups_Save',
        (list) => list.some(attempt(2)) && list.some((span) => isExpected(span, audit)),
      );
      const save = 'bailiwick.access.v1.Groups/Save';
      const toEvent: ExpectedSpan[] = [
        { service: gateway, name: 'POST /Groups_Save', kind: kinds.server },
        { service: gateway, name: save, kind: kinds.client },
        { service: access, name: save, kind: kinds.server },
        { service: access, name: 'transaction', kind: kinds.client },
        { service: access, name: 'publish EVT', kind: kinds.producer },
      ];
      const once: ExpectedSpan[] = [
        { service: notifications, name: 'publish TASK', kind: kinds.producer },
        {
          service: notifications,
          name: 'process TASK',
          kind: kinds.consumer,
          group: 'lane-webhook',
        },
      ];
      const deliver: ExpectedSpan[] = [
        {
          service: notifications,
          name: 'bailiwick.notifications.v1.Webhooks/Deliver',
          kind: kinds.internal,
        },
        { service: notifications, name: 'POST webhook', kind: kinds.client },
      ];
      const fanout = {
        service: notifications,
        name: 'process EVT',
        kind: kinds.consumer,
        group: 'fanout',
      };
      const [first, second] = [1, 2].map(
        (number) => spans.find(attempt(number)) ?? assert.fail(`attempt ${number}`),
      ) as [CollectedSpan, CollectedSpan];
      assertLineage(spans, first, [...toEvent, fanout, ...once, ...deliver]);
      // The retry waited as a row: it continues from the attempt that scheduled it.
      assertLineage(spans, second, [...toEvent, fanout, ...once, ...once, ...deliver]);
      assertLineage(spans, spans.find((span) => isExpected(span, audit)) ?? assert.fail(), [
        ...toEvent,
        audit,
      ]);
      assert.equal(first.attributes['http.response.status_code'], 503);
      assert.equal(first.attributes['error.type'], 'http_status');
      assert.equal(second.attributes['http.response.status_code'], 200);
    });

    test('a chat message belongs to the trace, with a span without its URL', async () => {
      const isPost = ({ name, attributes }: CollectedSpan) =>
        name === 'POST chat' && attributes['http.response.status_code'] === 200;
      const spans = await traceOf(collector, 'POST /Groups_Save', (list) => list.some(isPost));
      const { attributes } = spans.find(isPost) ?? assert.fail();
      assert.deepEqual(Object.keys(attributes).sort(), [
        'bailiwick.endpoint',
        'http.request.method',
        'http.request.resend_count',
        'http.response.status_code',
      ]);
      assert.match(String(attributes['bailiwick.endpoint']), /^slk_/);
      assert.ok(
        spans.some((span) =>
          isExpected(span, {
            service: notifications,
            name: 'process TASK',
            kind: kinds.consumer,
            group: 'lane-chat',
          }),
        ),
      );
    });

    test('the further calls of a request are part of its trace', async () => {
      const spans = await traceOf(collector, 'POST /Tenants_Create', (list) =>
        list.some(({ name }) => name === 'transaction'),
      );
      for (const [service, name] of [
        [identity, 'bailiwick.identity.v1.Credentials/Resolve'],
        [access, 'bailiwick.access.v1.Authority/Effective'],
      ] as const)
        assert.ok(
          spans.some((span) => isExpected(span, { service, name, kind: kinds.server })),
          name,
        );
    });

    test('a client’s traceparent becomes a link, and does not affect sampling', async () => {
      const answer = await stack.call('Account_Get', {}, journey.session, {
        traceparent: `00-${traceId}-b7ad6b7169203331-00`,
      });
      assert.equal(answer.status, 200);
      const root = await eventually('the span', async () =>
        collector.spans.find(({ name }) => name === 'POST /Account_Get'),
      );
      assert.notEqual(root.traceId, traceId);
      assert.equal(root.parentSpanId ?? '', '');
      assert.deepEqual(
        root.links?.map((link) => [link.traceId, link.spanId]),
        [[traceId, 'b7ad6b7169203331']],
      );
    });

    test('a receiver does not get the product’s trace id', async () => {
      const caught = await caughtBy(stack, journey.hook);
      assert.equal(caught.length, 2);
      for (const { Headers } of caught)
        assert.ok(!('traceparent' in Headers) && 'webhook-id' in Headers);
    });

    test('the logs and the audit contain the trace id of a request', async () => {
      const answer = await stack.call(
        'Groups_Save',
        { Group: { Tenant: journey.tenant, Path: 'ops' } },
        journey.session,
      );
      const requestId = answer.headers.get('x-request-id') ?? '';
      const { traceId: logged } = await eventually('the line', async () =>
        lineOf(stack, 'access', requestId),
      );
      const entry = await eventually('the audit entry', async () => {
        const list = await stack.call('Audit_List', { Tenant: journey.tenant }, journey.session);
        return auditOf(list).find(({ RequestID }) => RequestID === requestId);
      });
      assert.equal(entry.TraceID, logged);
      const root = await eventually('the span', async () =>
        collector.spans.find((span) => span.attributes['bailiwick.request_id'] === requestId),
      );
      assert.equal(root.traceId, logged);
      for (const service of ['gateway', 'identity', 'access', 'sso', 'notifications'] as const)
        for (const line of linesOf(stack, service))
          if ('requestId' in line)
            assert.match(
              line.traceId ?? '',
              /^[0-9a-f]{32}$/,
              `${service}: ${JSON.stringify(line)}`,
            );
    });

    test('no span, metric or log contains a token, a secret, a password or an address', async () => {
      await stack.call('Account_Login', {
        Email: journey.email,
        Password: `${journey.secrets[3]}!`,
      });
      await stack.call('Users_GetByEmail', { Email: journey.email }, journey.session);
      await stack.call(journey.secrets[1] ?? '', {}, journey.session);
      await stack.call(`auth/${journey.secrets[1]}/x/login?return_to=${journey.secrets[0]}`, {});
      await eventually('all services', async () =>
        ['gateway', 'identity', 'access', 'sso', 'notifications'].every((name) =>
          collector.metrics.has(`bailiwick-${name}`),
        ),
      );
      const places = {
        telemetry: collector.text(),
        metrics: await scrapeAll(stack),
        logs: textBelow(path.join(stack.folder, 'logs')),
      };
      assert.ok(
        places.telemetry.includes('Account_Login') &&
          places.metrics.includes('Account_Login') &&
          places.logs.includes('Account_Login'),
      );
      for (const [place, text] of Object.entries(places)) {
        for (const secret of [...journey.secrets, journey.email, stack.databaseUrl, stack.inboxUrl])
          assert.ok(!text.includes(secret), `${secret.slice(0, 6)}… in the ${place}`);
        assert.doesNotMatch(text, /bwk[a-z]_|whsec_|@example\.com|sealed:/, place);
      }
    });
  });
}

type Line = { requestId?: string; traceId?: string };

export function linesOf(stack: Stack, service: Parameters<Stack['logOf']>[0]): Line[] {
  const lines = stack.logOf(service).split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
}

const lineOf = (stack: Stack, service: Parameters<Stack['logOf']>[0], requestId: string) =>
  linesOf(stack, service).find((line) => line.requestId === requestId);

const auditOf = (answer: Answer) =>
  (answer.body['Page'] as { Items: Array<{ RequestID: string; TraceID: string }> }).Items;
