import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { client } from '../parts/calls.ts';
import { describeFailure } from '../parts/failure.ts';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { pageAt } from '../parts/place.ts';
import { isSupportTab } from '../parts/support-access.ts';
import { useTexts } from '../parts/texts.tsx';
import { useAccount } from './session.tsx';

/** The user's own account, and the way out. */
export function UserMenu() {
  const { t } = useTexts();
  const notify = useNotify();
  const { User } = useAccount();
  const { isOperator } = usePlatformPermissions();
  async function signOut() {
    try {
      await client.call('Account_Logout', {});
    } catch (error) {
      const { title } = describeFailure(error);
      // The user wants the session to end.
      if (title !== 'failure.ended') {
        notify(t(title), { isFailure: true });
        return;
      }
    }
    location.assign(pageAt('signed-out'));
  }
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={t('shell.account', { email: User.Email })}>
          <Avatar radius="xl" size={34} color="accent" variant="light">
            <Icon name="user" />
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/account" leftSection={<Icon name="user" size={16} />}>
          {t('shell.yourAccount')}
          <Text size="xs" c="dimmed" truncate maw={170}>
            {User.Email}
          </Text>
        </Menu.Item>
        {isOperator && (
          <Menu.Item
            component={Link}
            to="/console/platform"
            leftSection={<Icon name="shield" size={16} />}
          >
            {t('shell.platform')}
          </Menu.Item>
        )}
        {!isSupportTab() && (
          <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={() => void signOut()}>
            {t('shell.signOut')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
