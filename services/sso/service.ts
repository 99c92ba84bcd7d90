import { Domain } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { SignIn, SsoLimits } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { Sso } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import { serve } from '@bailiwick/shared/dispatch.ts';
import { countAddress, createLimiter, type Limit, type LimitProfile, perMinute } from '@bailiwick/shared/limits.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { followPurges } from '@bailiwick/shared/purge.ts';
import { createService, type Service } from '@bailiwick/shared/service.ts';
import type { OwnSettings } from '@bailiwick/shared/settings.ts';
import { domainHandlers } from './domains/handlers.ts';
import { signInHandlers, ssoHandlers } from './providers/handlers.ts';
import { ssoSchema } from './schema.ts';
import type { ssoSettings } from './settings.ts';

// Home-realm discovery asks once a sign-in; an office signs in behind one address (contract.md §2).
const checkLimits: Record<LimitProfile, Record<string, Limit>> = { standard: { sso_check: perMinute(300) }, strict: { sso_check: perMinute(60) }, off: {} };

/** sso answers: where do they sign in? */
export function createSso({ settings, log }: { settings: OwnSettings<typeof ssoSettings>; log: Log }): Promise<Service> {
  const profile = settings.limits as LimitProfile;
  return createService({
    schema: ssoSchema,
    settings,
    log,
    parts({ database, broker }) {
      const deps = { database, publicUrl: settings.publicUrl };
      return {
        served: [
          serve(Sso, ssoHandlers(deps)),
          serve(Domain, domainHandlers),
          serve(SignIn, signInHandlers(deps)),
          serve(SsoLimits, { take: countAddress(createLimiter(database), checkLimits[profile]) }),
        ],
        background: [followPurges({ schema: ssoSchema, database, broker, log })],
      };
    },
  });
}
