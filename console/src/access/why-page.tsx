import { Autocomplete, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { AddressField, useSubjectOf } from '../grants/address-field.tsx';
import { HolderName } from '../grants/subject-name.tsx';
import { usePartCursor } from '../parts/cursor.ts';
import { Explanation } from '../parts/explanation.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Page } from '../parts/page.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { usePermissionNames } from './permission-names.ts';
import { type Question, readQuestion } from './search.ts';

/** Answers whether a person or a bot may do something, and why. */
export function WhyPage() {
  const { t } = useTexts();
  const { ID } = useTenant();
  const question: Question = useSearch({ strict: false });
  const { subject, permission, resource } = question;
  return (
    <Page title={t('access.why')} description={t('access.whyAbout')}>
      <Form question={question} />
      {subject === undefined && permission !== undefined && (
        <Holders key={`${permission} ${resource}`} permission={permission} resource={resource} />
      )}
      {subject !== undefined && permission !== undefined && (
        <Explanation tenant={ID} subject={subject} permission={permission} resource={resource} />
      )}
    </Page>
  );
}

type HoldersProps = { permission: string; resource: string | undefined };

/** Every person and bot with a permission, directly or through groups. */
function Holders({ permission, resource }: HoldersProps) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const place = usePartCursor();
  return (
    <PageSection title={t('access.whoMay')}>
      <ListView
        operation="Access_ListSubjects"
        request={{ Tenant, Permission: permission, ...(resource && { Resource: resource }) }}
        label={t('access.whoMay')}
        columns={[
          {
            id: 'subject',
            header: t('access.subject'),
            cell: ({ ID, Type }) => <HolderName of={Type === 'bot' ? 'bots' : 'people'} id={ID} />,
          },
        ]}
        idOf={({ ID }) => ID}
        place={place}
        empty={<Text size="sm">{t('access.noneMay')}</Text>}
      />
    </PageSection>
  );
}

function Form({ question }: { question: Question }) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const [person, setPerson] = useState(question.subject ?? '');
  const [permission, setPermission] = useState(question.permission ?? '');
  const [resource, setResource] = useState(question.resource ?? '');
  const { id, isUnknown } = useSubjectOf(person);
  const names = usePermissionNames();
  const ask = () => {
    const next = { subject: id, permission: permission.trim(), resource: resource.trim() };
    void navigate({ to: '.', search: readQuestion(next) as never });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <Stack maw={520}>
        <AddressField
          label={t('access.subject')}
          description={t('access.subjectAbout')}
          value={person}
          onChange={setPerson}
          isUnknown={isUnknown}
        />
        <Autocomplete
          label={t('access.permission')}
          description={t('access.permissionAbout')}
          data={names}
          limit={20}
          value={permission}
          onChange={setPermission}
        />
        <TextInput
          label={t('access.resource')}
          description={t('access.resourceAbout')}
          value={resource}
          onChange={(event) => setResource(event.currentTarget.value)}
          autoComplete="off"
        />
        <Group>
          <Button
            type="submit"
            disabled={(id === '' && person.trim() !== '') || permission.trim() === ''}
          >
            {t('access.ask')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
