import type { ResponseOf } from '@bailiwick/client/client.ts';
import {
  Alert,
  Autocomplete,
  Button,
  Group,
  List,
  Paper,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { Subject } from '../parts/person.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { AddressField, useSubjectOf } from './address-field.tsx';
import { usePermissionNames } from './permission-names.ts';
import { type Question, readQuestion } from './search.ts';

type Asked = { subject: string; permission: string };
type Way = ResponseOf<'Access_Explain'>['Paths'][number];

/** Answers whether a person or a bot may do something, and why. */
export function WhyPage() {
  const { t } = useTexts();
  const asked: Question = useSearch({ strict: false });
  return (
    <Page title={t('access.why')} about={t('access.whyAbout')}>
      <Form asked={asked} />
      {asked.subject !== undefined && asked.permission !== undefined && (
        <Answer {...asked} subject={asked.subject} permission={asked.permission} />
      )}
    </Page>
  );
}

function Form({ asked }: { asked: Question }) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const [person, setPerson] = useState(asked.subject ?? '');
  const [permission, setPermission] = useState(asked.permission ?? '');
  const [resource, setResource] = useState(asked.resource ?? '');
  const { id, isUnknown } = useSubjectOf(person);
  const names = usePermissionNames();
  const ask = () => {
    const question = { subject: id, permission: permission.trim(), resource: resource.trim() };
    void navigate({ to: '.', search: readQuestion(question) as never });
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
          <Button type="submit" disabled={id === '' || permission.trim() === ''}>
            {t('access.ask')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Answer({ subject, permission, resource }: Question & Asked) {
  const { t } = useTexts();
  const { ID } = useTenant();
  const about = { Tenant: ID, Subject: subject, Permission: permission };
  const request = { ...about, ...(resource !== undefined && { Resource: resource }) };
  const { data, error } = useCall('Access_Explain', request, { staleTime: 0 });
  return (
    <Stack component="section" aria-labelledby="why-answer">
      <FailureNotice error={error} />
      {data && (
        <>
          <Alert
            role="status"
            color={data.Allowed ? 'teal' : 'red'}
            icon={<Icon name={data.Allowed ? 'check' : 'warning'} />}
            title={
              <span id="why-answer">
                {t(data.Allowed ? 'access.allowed' : 'access.notAllowed')}
              </span>
            }
          >
            {!data.Allowed && (
              <List size="sm" lang="en">
                {data.Missing.map((reason) => (
                  <List.Item key={reason}>{reason}</List.Item>
                ))}
              </List>
            )}
          </Alert>
          {data.Paths.map((way) => (
            <Drawn key={`${way.Grant} ${way.Group}`} way={way} subject={subject} />
          ))}
        </>
      )}
      <SameByApi operation="Access_Explain" request={request} />
    </Stack>
  );
}

/** The way from the subject to the permission, drawn as a chain, which is a list for screen readers. */
function Drawn({ way, subject }: { way: Way; subject: string }) {
  const { t } = useTexts();
  const steps = [
    { kind: t('access.subject'), name: <Subject id={subject} /> },
    ...(way.Group === '' ? [] : [{ kind: t('access.group'), name: way.Group }]),
    ...(way.InheritedFrom === '' ? [] : [{ kind: t('access.parent'), name: way.InheritedFrom }]),
    { kind: t(way.Platform ? 'access.platformRole' : 'access.role'), name: way.Role },
    { kind: t('access.permission'), name: way.Permission },
  ];
  return (
    <Group
      component="ol"
      gap="xs"
      p={0}
      m={0}
      style={{ listStyle: 'none' }}
      aria-label={t('access.way')}
    >
      {steps.map(({ kind, name }, at) => (
        <Fragment key={kind}>
          <Paper component="li" withBorder p="sm" maw="100%">
            <Text size="xs" c="dimmed">
              {kind}
            </Text>
            <Text size="sm" fw={600} component="div" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
          </Paper>
          {at < steps.length - 1 && (
            <Text component="li" role="presentation" aria-hidden c="dimmed">
              →
            </Text>
          )}
        </Fragment>
      ))}
    </Group>
  );
}
