import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@connectrpc/connect';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { asService, createHttpTransport } from '@bailiwick/shared/rpc.ts';
const port = 21999;
const child = fork(new URL('./base-server.ts', import.meta.url).pathname, [String(port)]);
await once(child, 'message');
import { createGrpcTransport } from '@bailiwick/shared/rpc-grpc.ts';
const t = (process.argv[2]==='grpc' ? createGrpcTransport : createHttpTransport)({ url: process.argv[2]==='grpc' ? `dns:///127.0.0.1:${port+1}` : `http://127.0.0.1:${port}`, audience: 'x', sign: () => 't' });
const c = createClient(Groups, asService(t, 'x'));
let n = 0, ok = 0; const errs = new Map<string, number>(); let stop = false;
const one = async () => { while (!stop) { const id = `g${n++}`; try { await c.save({ group: { tenant: 't', path: id } }); ok++; } catch (e: any) { const k = `${e.code} ${e.message} | ${e.cause?.code} ${e.cause?.message} | ${e.cause?.cause?.code} ${e.cause?.cause?.message}`; errs.set(k, (errs.get(k) ?? 0) + 1); } await new Promise(r=>setTimeout(r, Math.random()*20)); } };
const ws = Array.from({ length: 16 }, one);
for (let i = 0; i < 30; i++) { await new Promise((r) => setTimeout(r, 200)); child.send('restart'); await once(child, 'message'); }
stop = true; await Promise.all(ws);
child.send('counts'); const [counts] = await once(child,'message'); const bad=(counts as any).filter((c:any)=>c[1]!==1); console.log('processed', (counts as any).length, 'not once', bad.length); console.log({ n, ok, errs });
child.disconnect(); await t.close(); process.exit();
