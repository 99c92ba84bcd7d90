import type { ReactNode } from 'react';
import { PageTabs } from '../parts/page-tabs.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

type Props = { current: 'members' | 'members/invitations'; children: ReactNode };

/** The way between the members and those who are invited. */
export function PeopleTabs({ current, children }: Props) {
  const { t } = useTexts();
  const { Slug, may } = useTenant();
  const at = `/console/t/${Slug}`;
  const members = { to: `${at}/members`, text: t('people.members') };
  const invitations = { to: `${at}/members/invitations`, text: t('people.invitations') };
  return (
    <PageTabs
      label={t('people.members')}
      current={`${at}/${current}`}
      tabs={[
        ...(may('iam.users.read') ? [members] : []),
        ...(may('iam.invitations.read') ? [invitations] : []),
      ]}
    >
      {children}
    </PageTabs>
  );
}
