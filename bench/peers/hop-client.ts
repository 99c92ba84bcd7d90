import process from 'node:process';
import { createId, permissionBitmap } from '@bailiwick/contract';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { asService, contextFor, createCallerSigner, createHttpTransport } from '@bailiwick/wire';
import { create } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { serveBench } from '../peer.ts';

// The calling end of a hop. Bailiwick's client twice: in a service's own name, with one token for
// many calls, and for a user, with a token for each request.
//
//   node hop-client.ts <private key> <urls as JSON>

export type HopKind = 'own' | 'person' | 'h2' | 'http1';

const [key = '', urls = '{}'] = process.argv.slice(2);
const { ours, h2, http1 } = JSON.parse(urls) as Record<'ours' | 'h2' | 'http1', string>;
const transport = createHttpTransport({
  url: ours,
  audience: 'access',
  sign: createCallerSigner('gateway', key),
});
const request = { tenant: 'tnt_01', path: 'eng/backend' };
const own = createClient(Groups, asService(transport, 'gateway'));
const overH2 = createClient(Groups, createConnectTransport({ baseUrl: h2, httpVersion: '2' }));
const overHttp1 = createClient(
  Groups,
  createConnectTransport({ baseUrl: http1, httpVersion: '1.1' }),
);
const permissions = permissionBitmap((permission) => !permission.startsWith('iam.platform.'));
const person = {
  type: 'user',
  id: createId('usr'),
  credentialId: createId('ses'),
  tenant: createId('tnt'),
  email: 'ada@example.com',
  ip: '127.0.0.1',
  userAgent: 'bench',
  permissions,
  grants: [{ id: createId('grt'), permissions }],
};
let requests = 0;

const calls: Record<HopKind, () => Promise<unknown>> = {
  own: () => own.get(request),
  person: () =>
    own.get(request, {
      contextValues: contextFor(
        create(CallerSchema, { ...person, requestId: `request-${requests++}` }),
      ),
    }),
  h2: () => overH2.get(request),
  http1: () => overHttp1.get(request),
};

async function measure({ kind, seconds }: { kind: HopKind; seconds: number }) {
  const started = performance.now();
  let [count, errors] = [0, 0];
  const client = async () => {
    while (performance.now() - started < seconds * 1000) {
      await calls[kind]().catch(() => errors++);
      count++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, client));
  return { calls: count, errors, perSecond: (count * 1000) / (performance.now() - started) };
}

serveBench('ready', measure);
