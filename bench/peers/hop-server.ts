import { createServer } from 'node:http';
import { createServer as createH2c } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import process from 'node:process';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { routes } from '@bailiwick/pipeline';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { createCallerVerifier, listenRpc } from '@bailiwick/wire';
import { create, type DescMethod } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { serveBench } from '../peer.ts';

// The called end of a hop, with an empty handler: Bailiwick's listener, and connect-node's over
// HTTP/2 and HTTP/1.1. Bailiwick's verifies the caller; the others do not.
//
//   node hop-server.ts <public key>

const group = {
  id: 'grp_01',
  tenant: 'tnt_01',
  path: 'eng/backend',
  name: 'Backend',
  source: 'api',
};
const answer = (method: DescMethod) =>
  create(method.output, (method.localName === 'get' ? { group } : {}) as never);

const ours = await listenRpc({
  host: loopback,
  port: 0,
  grpcPort: 0,
  routes: routes([
    Groups,
    Object.fromEntries(
      Groups.methods.map(({ localName }) => [localName, () => Promise.resolve({})]),
    ),
  ]),
  dispatch: (method) => Promise.resolve(answer(method)),
  verify: createCallerVerifier('access', new Map([['gateway', process.argv[2] ?? '']])),
  readiness: () => Promise.resolve(undefined),
});

const handlers: object = Object.fromEntries(
  Groups.methods.map((method) => [method.localName, () => answer(method)]),
);
const stock = connectNodeAdapter({
  routes: (router: ConnectRouter) => router.service(Groups, handlers),
});

function listen(server: Server): Promise<string> {
  return new Promise((resolve) =>
    server.listen(0, loopback, () =>
      resolve(`http://${loopback}:${(server.address() as AddressInfo).port}`),
    ),
  );
}

serveBench({
  ours: `http://${loopback}:${ours.port}`,
  h2: await listen(createH2c(stock)),
  http1: await listen(createServer(stock)),
});
