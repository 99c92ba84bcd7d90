import { Skeleton, Text } from '@mantine/core';
import { actorTexts, type Entry } from '../parts/audit-entry.tsx';
import { useCall } from '../parts/calls.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

/** Who did it, by name if the user may see it. */
export function Actor({ entry: { ActorType, ActorID } }: { entry: Entry }) {
  const { t } = useTexts();
  const { may } = useTenant();
  const isPerson = ActorType === 'user' && ActorID !== '' && may('iam.users.read');
  const { data, isPending } = useCall(
    'Users_Get',
    { UserID: ActorID },
    { enabled: isPerson, staleTime: 300_000 },
  );
  if (isPerson && isPending) return <Skeleton height={20} width={140} />;
  const kind = actorTexts[ActorType];
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {data ? data.User.Name || data.User.Email : ActorID || (kind ? t(kind) : ActorType)}
      </Text>
      {!data && ActorID !== '' && (
        <Text size="xs" c="dimmed">
          {kind ? t(kind) : ActorType}
        </Text>
      )}
    </>
  );
}
