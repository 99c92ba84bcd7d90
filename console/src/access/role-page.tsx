import type { ItemOf } from '@bailiwick/client/client.ts';
import { Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { GrantDialog } from '../grants/grant-dialog.tsx';
import { type Holder, holders, holderTexts } from '../grants/grant-kinds.ts';
import { GrantList } from '../grants/grant-list.tsx';
import { useCall } from '../parts/calls.ts';
import { usePartCursor } from '../parts/cursor.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Facts } from '../parts/facts.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Labels } from '../parts/labels.tsx';
import { Page } from '../parts/page.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { DeleteRole } from './delete-role.tsx';
import { RoleDialog } from './role-dialog.tsx';

type Role = ItemOf<'Roles_ListByTenant'>;

/** One role: its permissions, and who has it. */
export function RolePage({ slug }: { slug: string }) {
  const { t } = useTexts();
  const { ID: Tenant, Slug, may } = useTenant();
  const { data, error, refetch } = useCall('Roles_Get', { Tenant, Slug: slug });
  const back = { to: `/console/t/${Slug}/roles`, text: t('access.roles') };
  const role = data?.Role;
  if (!role)
    return (
      <Page title={slug} back={back} record={slug}>
        <FailureNotice error={error} onRetry={() => void refetch()} />
        {!data && !error && <Skeleton height={160} aria-busy="true" />}
        {data && <Empty icon="warning" title={slug} description={t('access.noRole')} />}
      </Page>
    );
  return (
    <Page
      title={role.Name || role.Slug}
      back={back}
      record={slug}
      description={role.Description || undefined}
      actions={!role.System && may('iam.roles.write') && <Actions role={role} />}
    >
      <Facts
        facts={[
          { name: t('access.slug'), value: role.Slug },
          { name: t('access.permissions'), value: <Labels names={role.Permissions} /> },
          ...(role.System ? [{ name: t('access.role'), value: t('access.builtIn') }] : []),
        ]}
      />
      {may('iam.grants.read') && <RoleHolders role={role.Slug} />}
    </Page>
  );
}

function Actions({ role }: { role: Role }) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const { Slug } = useTenant();
  return (
    <Group gap="xs">
      <DialogButton
        text={t('access.edit')}
        dialog={(onClose) => <RoleDialog role={role} onClose={onClose} />}
      />
      <DialogButton
        text={t('access.delete')}
        dialog={(onClose) => (
          <DeleteRole
            role={role}
            onDone={() => void navigate({ to: `/console/t/${Slug}/roles` })}
            onClose={onClose}
          />
        )}
      />
    </Group>
  );
}

function RoleHolders({ role }: { role: string }) {
  const { t } = useTexts();
  const { may } = useTenant();
  const [of, setOf] = useState<Holder>('people');
  const place = usePartCursor();
  const choose = (next: Holder) => {
    setOf(next);
    place.onCursor('');
  };
  return (
    <PageSection
      title={t('access.holders')}
      description={t('access.holdersAbout')}
      actions={
        may('iam.grants.write') && (
          <DialogButton
            text={t('access.addGrant')}
            dialog={(onClose) => <GrantDialog of={of} fixedRole={role} onClose={onClose} />}
          />
        )
      }
    >
      <NativeSelect
        label={t('access.rolesOf')}
        maw={240}
        value={of}
        onChange={(event) => choose(event.currentTarget.value as Holder)}
        data={holders.map((holder) => ({ value: holder, label: t(holderTexts[holder]) }))}
      />
      <GrantList
        selection={{ of, holder: '', role }}
        hides="role"
        place={place}
        empty={<Text size="sm">{t('access.noHolders')}</Text>}
      />
    </PageSection>
  );
}
