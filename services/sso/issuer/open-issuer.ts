import type { Origin } from '@bailiwick/contract';
import { type Background, deferredHandlers, type Served, serve } from '@bailiwick/pipeline';
import { deferred } from '@bailiwick/process';
import { AppLogout, Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { AppSignOuts } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import type { IssuerOptions } from './issuer.ts';
import { replaceSigningKeys, rotateSigningKeys, withdrawSigningKeys } from './signing-keys.ts';

const loadIssuer = deferred(() => import('./issuer.ts'));

/** The issuer. Its library, a tenth of the modules of sso, is loaded once the process is ready. */
export function openIssuer(options: IssuerOptions): {
  served: Served[];
  background: Background;
  replaceKeys: (call: Origin, options: { withdraws: boolean }) => Promise<void>;
} {
  let issuer: ReturnType<Awaited<ReturnType<typeof loadIssuer>>['createIssuer']> | undefined;
  const open = async () => {
    const { createIssuer } = await loadIssuer();
    return (issuer ??= createIssuer(options));
  };
  return {
    served: [
      serve(
        Issuer,
        deferredHandlers(Issuer, async () => (await open()).issuer),
      ),
      serve(
        AppLogout,
        deferredHandlers(AppLogout, async () => (await open()).logout),
      ),
      serve(
        AppSignOuts,
        deferredHandlers(AppSignOuts, async () => (await open()).signOuts),
      ),
    ],
    background: rotateSigningKeys(options),
    replaceKeys: (call, { withdraws }) =>
      withdraws ? withdrawSigningKeys(options, call) : replaceSigningKeys(options, call),
  };
}
