import { denied } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { PeerClient } from '@bailiwick/wire';

type Deps = { authority: Pick<PeerClient<typeof Authority>, 'mayActAs'> };

/**
 * Throws permission_denied unless the caller may grant, by its rights on the platform, all that a
 * user holds anywhere. For what would let the caller act as this user.
 */
export async function assertMayActAs(
  { authority }: Deps,
  userId: string,
  call: Call,
): Promise<void> {
  if (call.caller.type === 'user' && call.caller.id === userId) return;
  const { lacking } = await authority.mayActAs(
    {
      principalType: call.caller.type,
      principalId: call.caller.id,
      principalBotTenant: call.caller.type === 'bot' ? call.caller.tenant : '',
      principalNarrowedTo: call.caller.narrowedTo,
      principalLimitedTo: call.caller.limitedTo,
      principalVoucher: call.caller.voucher,
      userId,
    },
    call,
    { signal: call.signal },
  );
  if (lacking !== '')
    throw denied(`the user holds ${lacking}, which the caller may not grant`, 'MORE_RIGHTS', {
      Permission: lacking,
    });
}
