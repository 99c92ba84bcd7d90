import type { ItemOf } from '@bailiwick/client/client.ts';
import { Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { daysAhead } from '../bots/key-state.ts';
import { FormButtons } from '../parts/call-form.tsx';
import { useChange } from '../parts/calls.ts';
import type { Column } from '../parts/cursor-list.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Page } from '../parts/page.tsx';
import { MemberPerson } from '../parts/person.tsx';
import { publicUrl } from '../parts/place.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { ValuesToCopy } from '../parts/values-to-copy.tsx';
import { WithTenant } from '../settings/tenant-form.tsx';
import { useTenant } from '../shell/routes.tsx';
import { ScimGroupsSection } from './scim-groups-section.tsx';
import { ScimNoticesSection } from './scim-notices-section.tsx';

type Member = ItemOf<'TenantMembers_List'>;

/** The longest lifetime of a key: a directory stops when its key ends. */
const keyDays = 365;

/** The address and the key of a directory, and the people whom it has added. */
export function ScimPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const mayConnect = may('iam.bots.write') && may('iam.grants.write') && may('iam.botkeys.write');
  return (
    <Page
      title={t('signon.scim')}
      description={t('signon.scimAbout', { tenant: Name })}
      actions={
        mayConnect && (
          <DialogButton
            text={t('signon.scimConnect')}
            icon="plus"
            dialog={(onClose) => <Connect tenant={ID} onClose={onClose} />}
          />
        )
      }
    >
      <Paper withBorder p="lg">
        <Address tenant={ID} />
      </Paper>
      {may('iam.tenant.write') && (
        <WithTenant>{(tenant) => <ScimGroupsSection tenant={tenant} />}</WithTenant>
      )}
      <Title order={2} size="h4">
        {t('signon.scimPeople')}
      </Title>
      <ListView
        operation="TenantMembers_List"
        request={{ Tenant: ID, Source: 'scim', WithNames: true }}
        label={t('signon.scimPeople')}
        columns={useColumns()}
        idOf={({ UserID }) => UserID}
        empty={
          <Empty
            icon="people"
            title={t('signon.scimNone')}
            description={t('signon.scimNoneAbout')}
          />
        }
      />
      <ScimNoticesSection />
    </Page>
  );
}

function Address({ tenant }: { tenant: string }) {
  const { t } = useTexts();
  const address = `${publicUrl}/scim/v2/${tenant}`;
  return <ValuesToCopy values={[{ name: t('signon.scimAddress'), value: address }]} />;
}

const statuses: Readonly<Record<string, TextKey>> = {
  active: 'people.active',
  disabled: 'people.disabled',
};

function useColumns(): Column<Member>[] {
  const { t } = useTexts();
  return [
    { id: 'person', header: t('people.person'), cell: (member) => <MemberPerson {...member} /> },
    {
      id: 'status',
      header: t('people.status'),
      cell: ({ Status }) => t(statuses[Status] ?? 'people.active'),
    },
    {
      id: 'joined',
      header: t('people.joined'),
      isSecondary: true,
      cell: ({ JoinedAt }) => <Time at={JoinedAt} />,
    },
  ];
}

/** Creates a bot for a directory with its role and its key, and then shows the key. */
function Connect({ tenant, onClose }: { tenant: string; onClose: () => void }) {
  const { t } = useTexts();
  const [secret, setSecret] = useState('');
  const save = useChange('Bots_Save', { stale: ['Bots_List'] });
  const grant = useChange('BotGrants_Add', { stale: ['BotGrants_ListByTenant'] });
  const create = useChange('BotKeys_Create', { stale: ['BotKeys_List'] });
  // A repetition after a failure goes on with the bot that was made.
  const [botId, setBotId] = useState<string>();
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? t('signon.fieldMissing') : null) },
  });
  async function connect(name: string): Promise<void> {
    const bot = { Tenant: tenant, Name: name, ...(botId !== undefined && { ID: botId }) };
    const { Bot } = await save.mutateAsync({ Bot: bot });
    setBotId(Bot.ID);
    const of = { Tenant: tenant, Bot: Bot.ID };
    await grant.mutateAsync({ Grant: { ...of, Role: 'scim-directory' } });
    const ExpiresAt = daysAhead(keyDays);
    const { Secret } = await create.mutateAsync({ ...of, Name: name, ExpiresAt });
    setSecret(Secret);
  }
  if (secret !== '')
    return (
      <ShownOnce title={t('signon.scimSecret')} secret={secret} onClose={onClose}>
        <Address tenant={tenant} />
      </ShownOnce>
    );
  return (
    <Dialog onClose={onClose} title={t('signon.scimConnect')}>
      {/* The notice below shows a failure. */}
      <form
        onSubmit={form.onSubmit(({ name }) => void connect(name.trim()).catch(() => {}))}
        noValidate
      >
        <Stack>
          <Text size="sm">{t('signon.scimConnectAbout')}</Text>
          <TextInput
            {...form.getInputProps('name')}
            label={t('signon.scimName')}
            description={t('signon.scimNameAbout')}
            maxLength={128}
            autoComplete="off"
            data-autofocus
          />
          <FailureNotice error={save.error ?? grant.error ?? create.error} />
          <FormButtons
            submit={t('signon.scimConnect')}
            onCancel={onClose}
            isBusy={save.isPending || grant.isPending || create.isPending}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
