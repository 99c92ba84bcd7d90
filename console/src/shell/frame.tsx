import { AppShell, Burger, Divider, Group, ScrollArea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { ServiceBrand, TenantLogo } from '../parts/brand.tsx';
import { useTexts } from '../parts/texts.tsx';
import { EndedNotice } from './ended.tsx';
import { NavigationList } from './navigation-list.tsx';
import { Preferences } from './preferences.tsx';
import { type NavigationItem, Spotlight } from './spotlight.tsx';
import { SupportBanner } from './support-banner.tsx';
import { TenantSwitch } from './tenant-switch.tsx';
import { UserMenu } from './user-menu.tsx';

type Props = {
  items: readonly NavigationItem[];
  /** The views that the search finds. Default: those of the navigation. */
  pages?: readonly NavigationItem[];
  /** The slug of the tenant that the view is about. */
  tenant?: string;
  children: ReactNode;
};

/** The frame around every view. */
export function Frame({ items, pages = items, tenant, children }: Props) {
  const { t } = useTexts();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const current = currentOf(items, pathname);
  // On a narrow screen the menu covers the view.
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 250, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      transitionDuration={0}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="console-skip" href="#view">
        {t('shell.skip')}
      </a>
      <AppShell.Header className="console-frame" style={{ zIndex: 150 }}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('shell.menu')}
              aria-expanded={isOpen}
            />
            <Link to="/console" className="console-brand">
              <ServiceBrand />
              {tenant !== undefined && <TenantLogo tenant={tenant} />}
            </Link>
            <TenantSwitch tenant={tenant} />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <Spotlight pages={pages} tenant={tenant} />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className="console-frame" p="sm" aria-label={t('shell.navigation')}>
        <AppShell.Section grow component={ScrollArea}>
          <NavigationList items={items} current={current} />
        </AppShell.Section>
        <AppShell.Section>
          <Divider my="sm" color="var(--console-line)" />
          <Preferences />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="view" tabIndex={-1}>
        <SupportBanner />
        <EndedNotice />
        {children}
      </AppShell.Main>
    </AppShell>
  );
}

/** The item of the view, or of the list that the view belongs to. */
const currentOf = (items: readonly NavigationItem[], pathname: string) =>
  items
    .filter(({ to }) => `${pathname}/`.startsWith(`${to}/`))
    .sort((one, other) => other.to.length - one.to.length)[0];
