import type { ItemOf } from '@bailiwick/client/client.ts';
import { Anchor, Button, Modal, Text, TextInput } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { CallForm } from '../parts/call-form.tsx';
import { client, pageOf, useCall } from '../parts/calls.ts';
import { useCursor } from '../parts/cursor.ts';
import { type Column, CursorList } from '../parts/cursor-list.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { useNotify } from '../parts/notify.ts';
import { Page } from '../parts/page.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { GroupPage } from './group-page.tsx';

type Group = ItemOf<'Groups_ListByTenant'>;

/** The groups of a tenant as a tree, or one of them. */
export function GroupsPage() {
  const { group }: { group?: string } = useSearch({ strict: false });
  return group === undefined ? <Tree /> : <GroupPage key={group} path={group} />;
}

function Tree() {
  const { t } = useTexts();
  const { ID, may } = useTenant();
  const [isAdding, setAdding] = useState(false);
  const { cursor, onCursor } = useCursor();
  const request = { Tenant: ID, Page: { Limit: 100, Cursor: cursor } };
  const list = useCall('Groups_ListByTenant', request, { keepsPrevious: true });
  const add = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
      {t('access.addGroup')}
    </Button>
  );
  return (
    <Page
      title={t('access.groups')}
      about={t('access.groupsAbout')}
      actions={may('iam.groups.write') && add}
    >
      <CursorList
        label={t('access.groups')}
        columns={useColumns()}
        idOf={({ Path }) => Path}
        page={pageOf<'Groups_ListByTenant'>(list.data)}
        isChanging={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        cursor={cursor}
        onCursor={onCursor}
        empty={<Empty icon="people" title={t('access.noGroups')} about={t('access.groupsAbout')} />}
      />
      <SameByApi operation="Groups_ListByTenant" request={request} />
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** Groups come in the order of their paths, so each one follows its parent. */
function useColumns(): Column<Group>[] {
  const { t } = useTexts();
  const { Slug } = useTenant();
  return [
    {
      id: 'group',
      header: t('access.group'),
      cell: ({ Path, Name }) => {
        const depth = Path.split('/').length - 1;
        return (
          <div style={{ paddingInlineStart: `${Math.min(depth, 8) * 20}px` }}>
            <Anchor
              component={Link}
              to={`/console/t/${Slug}/groups?group=${encodeURIComponent(Path)}`}
              size="sm"
              fw={500}
            >
              {Name || Path.split('/').at(-1)}
            </Anchor>
            <Text size="xs" c="dimmed">
              {Path}
            </Text>
          </div>
        );
      },
    },
    {
      id: 'about',
      header: t('access.description'),
      isSecondary: true,
      cell: ({ Description }) => <Text size="sm">{Description}</Text>,
    },
  ];
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const notify = useNotify();
  const { ID: Tenant } = useTenant();
  // To save an existing path would change that group.
  const takenPath = async (Path: string) => {
    const { Group: known } = await client.call('Groups_Get', { Tenant, Path });
    return known ? { path: t('access.taken') } : {};
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('access.addGroup')}
      closeButtonProps={{ 'aria-label': t('form.close') }}
    >
      <CallForm
        operation="Groups_Save"
        initial={{ path: '', name: '', description: '' }}
        check={({ path }) => ({ path: path.trim() === '' ? t('access.pathMissing') : null })}
        precheck={({ path }) => takenPath(path.trim())}
        toRequest={({ path, name, description }) => ({
          Group: { Tenant, Path: path.trim(), Name: name.trim(), Description: description },
        })}
        stale={['Groups_ListByTenant']}
        onDone={() => {
          onClose();
          notify(t('access.saved'));
        }}
        onCancel={onClose}
        submit={t('access.addGroup')}
      >
        {(form) => (
          <>
            <TextInput
              {...form.getInputProps('path')}
              label={t('access.path')}
              description={t('access.pathAbout')}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
            <TextInput {...form.getInputProps('name')} label={t('access.name')} />
            <TextInput {...form.getInputProps('description')} label={t('access.description')} />
          </>
        )}
      </CallForm>
    </Modal>
  );
}
