import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AddressField, useSubjectOf } from '../grants/address-field.tsx';
import { HolderRoles } from '../grants/holder-roles.tsx';
import { memberLists, RemoveMember } from '../grants/member-groups.tsx';
import { rights } from '../grants/rights.ts';
import { HolderName } from '../grants/subject-name.tsx';
import { WhatIf } from '../grants/what-if.tsx';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { useCall, useChange } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { usePartCursor } from '../parts/cursor.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Facts } from '../parts/facts.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Page } from '../parts/page.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { EditGroupDialog, type Group as GroupRecord } from './group-dialogs.tsx';
import { Subgroups } from './subgroups.tsx';

/** One group: its roles, members and subgroups, which are changed in place. */
export function GroupPage({ path }: { path: string }) {
  const { t } = useTexts();
  const { ID: Tenant, Slug, may } = useTenant();
  const { data, error, refetch } = useCall('Groups_Get', { Tenant, Path: path });
  const mayWrite = may('iam.groups.write');
  return (
    <Page
      title={data?.Group?.Name || path}
      back={{ to: `/console/t/${Slug}/groups`, text: t('access.groups') }}
      record={path}
      description={data?.Group?.Description || undefined}
      actions={data?.Group && mayWrite && <Actions group={data.Group} />}
    >
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton height={120} />}
      {data && !data.Group && (
        <Empty icon="warning" title={path} description={t('access.noGroup')} />
      )}
      {data?.Group && (
        <>
          <Facts
            facts={[
              { name: t('access.path'), value: data.Group.Path },
              { name: 'ID', value: <Id id={data.Group.ID} /> },
            ]}
          />
          {may('iam.grants.read') && <HolderRoles of="groups" holder={path} />}
          <Members path={path} mayWrite={mayWrite} />
          <Subgroups path={path} />
        </>
      )}
    </Page>
  );
}

function Actions({ group }: { group: GroupRecord }) {
  const { t } = useTexts();
  return (
    <Group gap="xs">
      <DialogButton
        text={t('access.edit')}
        dialog={(onClose) => <EditGroupDialog group={group} onClose={onClose} />}
      />
      <DialogButton
        text={t('access.delete')}
        dialog={(onClose) => <Delete path={group.Path} onClose={onClose} />}
      />
    </Group>
  );
}

function Members({ path, mayWrite }: { path: string; mayWrite: boolean }) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const place = usePartCursor();
  return (
    <PageSection title={t('access.members')}>
      {mayWrite && <AddMember path={path} />}
      <ListView
        operation="Groups_ListMembers"
        request={{ Tenant, Group: path }}
        label={t('access.members')}
        columns={[
          {
            id: 'person',
            header: t('access.person'),
            cell: (id) => <HolderName of="people" id={id} />,
          },
        ]}
        idOf={(id) => id}
        place={place}
        actions={[
          {
            text: t('access.remove'),
            label: (id) => `${t('access.remove')}: ${id}`,
            may: mayWrite,
            dialog: (id, onClose) => <RemoveMember group={path} user={id} onClose={onClose} />,
          },
        ]}
        empty={<Text size="sm">{t('access.noMembers')}</Text>}
      />
    </PageSection>
  );
}

function AddMember({ path }: { path: string }) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const [text, setText] = useState('');
  const { id, isUnknown } = useSubjectOf(text);
  const change = useChange('Groups_AddMember', { stale: [...memberLists, ...rights] });
  const request = { Tenant, Group: path, UserID: id };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(request, { onSuccess: () => setText('') });
      }}
    >
      <Stack gap="xs" maw={520}>
        <AddressField
          label={t('access.addMember')}
          description={t('access.personAbout')}
          value={text}
          onChange={setText}
          isUnknown={isUnknown}
        />
        {id !== '' && <WhatIf change={{ Groups_AddMember: request }} />}
        <FailureNotice error={change.error} />
        <Group>
          <Button type="submit" variant="default" disabled={id === ''} loading={change.isPending}>
            {t('access.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Delete({ path, onClose }: { path: string; onClose: () => void }) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const { ID: Tenant, Slug } = useTenant();
  const request = { Tenant, Path: path };
  return (
    <ActionDialog
      operation="Groups_Delete"
      request={request}
      stale={['Groups_ListByTenant', ...memberLists, ...rights]}
      title={t('access.deleteGroup')}
      action={t('access.delete')}
      phrase={path}
      notice={t('access.deleted', { name: path })}
      onDone={() => void navigate({ to: `/console/t/${Slug}/groups` })}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">{t('access.deleteGroupAbout')}</Text>
        <WhatIf change={{ Groups_Delete: request }} />
      </Stack>
    </ActionDialog>
  );
}
