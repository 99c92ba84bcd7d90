import { Stack } from '@mantine/core';
import { HolderRoles } from '../grants/holder-roles.tsx';
import { PermissionsSection } from '../grants/permissions-section.tsx';
import { BotFrame } from './bot-frame.tsx';

/** The roles of a bot, which are changed in place, and its permissions. */
export const RolesPage = () => (
  <BotFrame tab="roles">
    {({ ID }) => (
      <Stack gap="lg">
        <HolderRoles of="bots" holder={ID} />
        <PermissionsSection subject={ID} />
      </Stack>
    )}
  </BotFrame>
);
