import { denied } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { isUnimplemented } from '@bailiwick/wire';
import type { Client } from '@connectrpc/connect';

type Deps = { authority: Pick<Client<typeof Authority>, 'mayActAs'> };

/**
 * Throws permission_denied unless the caller may grant, by its rights on the platform, all that a
 * user holds anywhere. For what would let the caller act as this user.
 */
export async function assertMayActAs(
  { authority }: Deps,
  userId: string,
  { caller, signal }: Call,
): Promise<void> {
  if (caller.type === 'user' && caller.id === userId) return;
  const { lacking } = await authority
    .mayActAs(
      {
        principalType: caller.type,
        principalId: caller.id,
        principalBotTenant: caller.type === 'bot' ? caller.tenant : '',
        principalNarrowedTo: caller.narrowedTo,
        principalLimitedTo: caller.limitedTo,
        principalVoucher: caller.voucher,
        userId,
      },
      { signal },
    )
    .catch((error: unknown) => {
      // During an upgrade, access may be an older version without this call.
      if (isUnimplemented(error)) return { lacking: '' };
      throw error;
    });
  if (lacking !== '')
    throw denied(`the user holds ${lacking}, which the caller may not grant`, 'MORE_RIGHTS', {
      Permission: lacking,
    });
}
