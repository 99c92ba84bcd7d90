import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Alert, Group, List, Paper, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { useCall } from './calls.ts';
import { FailureNotice } from './failure-notice.tsx';
import { Icon } from './icon.tsx';
import { Subject } from './person.tsx';
import { SameByApi } from './same-by-api.tsx';
import { useTexts } from './texts.tsx';

type Way = ResponseOf<'Access_Explain'>['Paths'][number];
type Props = {
  tenant: string;
  subject: string;
  permission: string;
  resource?: string | undefined;
};

/** Whether a person or a bot may do something in a tenant, and every reason. */
export function Explanation({ tenant, subject, permission, resource }: Props) {
  const { t } = useTexts();
  const question = { Tenant: tenant, Subject: subject, Permission: permission };
  const request = { ...question, ...(resource !== undefined && { Resource: resource }) };
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
            <PathChain key={`${way.Grant} ${way.Group}`} way={way} subject={subject} />
          ))}
        </>
      )}
      <SameByApi operation="Access_Explain" request={request} />
    </Stack>
  );
}

/** The way from the subject to the permission, drawn as a chain, which is a list for screen readers. */
function PathChain({ way, subject }: { way: Way; subject: string }) {
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
