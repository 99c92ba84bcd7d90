import { Button, Menu, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { isSupportTab } from '../parts/support-access.ts';
import { useTexts } from '../parts/texts.tsx';
import { useAccount } from './session.tsx';

/** The tenant of the view, and the way to the user's others and to a new one. */
export function TenantSwitch({ tenant }: { tenant: string | undefined }) {
  const { t } = useTexts();
  const { Tenants } = useAccount();
  const current = Tenants.find(({ Slug }) => Slug === tenant);
  if (!current) return undefined;
  // A support session makes nothing of its own.
  const mayCreate = !isSupportTab();
  if (Tenants.length === 1 && !mayCreate)
    return (
      <Text truncate fw={600}>
        {current.Name}
      </Text>
    );
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          maw={220}
          leftSection={<Icon name="building" size={16} />}
          rightSection={<Icon name="chevron" size={16} />}
          aria-label={t('shell.tenant', { tenant: current.Name })}
        >
          {current.Name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {Tenants.map(({ ID, Slug, Name }) => (
          <Menu.Item
            key={ID}
            component={Link}
            to={`/console/t/${Slug}`}
            rightSection={ID === current.ID && <Icon name="check" size={16} />}
          >
            {Name}
          </Menu.Item>
        ))}
        {mayCreate && (
          <>
            <Menu.Divider />
            <Menu.Item
              component={Link}
              to="/console/new"
              leftSection={<Icon name="plus" size={16} />}
            >
              {t('shell.newTenant')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
