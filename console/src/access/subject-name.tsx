import { Text } from '@mantine/core';
import { useCall } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { Subject } from '../parts/person.tsx';
import { useTenant } from '../shell/routes.tsx';

/** A person or a bot by name, as far as the user may see it. */
export const SubjectName = ({ id }: { id: string }) =>
  id.startsWith('bot_') ? <BotName id={id} /> : <Subject id={id} />;

function BotName({ id }: { id: string }) {
  const { ID: Tenant, may } = useTenant();
  const options = { enabled: may('iam.bots.read'), staleTime: 300_000 };
  const { data } = useCall('Bots_Get', { Tenant, ID: id }, options);
  if (!data) return <Id id={id} />;
  return (
    <Text size="sm" fw={500}>
      {data.Bot.Name}
    </Text>
  );
}
