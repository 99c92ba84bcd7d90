import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AddressField, useSubjectOf } from '../grants/address-field.tsx';
import { RemoveMember } from '../grants/member-groups.tsx';
import { HolderName } from '../grants/subject-name.tsx';
import { WhatIf } from '../grants/what-if.tsx';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { useCall, useChange } from '../parts/calls.ts';
import { Id } from '../parts/copy.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

/** One group: its members, and the way to delete it. */
export function GroupPage({ path }: { path: string }) {
  const { t } = useTexts();
  const { ID: Tenant, Slug, may } = useTenant();
  const { data, error } = useCall('Groups_Get', { Tenant, Path: path });
  const mayWrite = may('iam.groups.write');
  if (data && !data.Group)
    return <Empty icon="warning" title={path} description={t('access.noGroup')} />;
  return (
    <Page
      title={data?.Group?.Name || path}
      description={
        <Anchor component={Link} to={`/console/t/${Slug}/groups`} size="sm">
          {t('access.toGroups')}
        </Anchor>
      }
      actions={
        data?.Group &&
        mayWrite && (
          <DialogButton
            text={t('access.delete')}
            isRed
            dialog={(onClose) => <Delete path={path} onClose={onClose} />}
          />
        )
      }
    >
      <FailureNotice error={error} />
      {!data && !error && <Skeleton height={120} />}
      {data?.Group && (
        <>
          <Group gap="sm">
            <span>{path}</span>
            <Id id={data.Group.ID} />
          </Group>
          <Members path={path} mayWrite={mayWrite} />
        </>
      )}
    </Page>
  );
}

function Members({ path, mayWrite }: { path: string; mayWrite: boolean }) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const [cursor, onCursor] = useState('');
  return (
    <Stack gap="sm" component="section" aria-labelledby="group-members">
      <Title order={2} size="h4" id="group-members">
        {t('access.members')}
      </Title>
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
        place={{ cursor, onCursor }}
        actions={[
          {
            text: t('access.remove'),
            label: (id) => `${t('access.remove')}: ${id}`,
            isRed: true,
            may: mayWrite,
            dialog: (id, onClose) => <RemoveMember group={path} user={id} onClose={onClose} />,
          },
        ]}
        empty={
          <Empty
            icon="people"
            title={t('access.noMembers')}
            description={t('access.membersAbout')}
          />
        }
      />
    </Stack>
  );
}

function AddMember({ path }: { path: string }) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const [text, setText] = useState('');
  const { id, isUnknown } = useSubjectOf(text);
  const change = useChange('Groups_AddMember', { stale: ['Groups_ListMembers'] });
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
      stale={['Groups_ListByTenant']}
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
