import type { ReactNode } from 'react';
import { PageTabs } from '../parts/page-tabs.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

type Props = { current: 'roles' | 'roles/grants'; children: ReactNode };

/** The way between the roles and who has them. */
export function AccessTabs({ current, children }: Props) {
  const { t } = useTexts();
  const { Slug, may } = useTenant();
  const at = `/console/t/${Slug}`;
  const roles = { to: `${at}/roles`, text: t('access.roles') };
  const grants = { to: `${at}/roles/grants`, text: t('access.grants') };
  return (
    <PageTabs
      label={t('access.roles')}
      current={`${at}/${current}`}
      tabs={[
        ...(may('iam.roles.read') ? [roles] : []),
        ...(may('iam.grants.read') ? [grants] : []),
      ]}
    >
      {children}
    </PageTabs>
  );
}
