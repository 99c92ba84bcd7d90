import type { OperationName, RequestOf } from '@bailiwick/client/client.ts';
import { Anchor, Box, Button, Collapse, Group, Paper, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import { CodeBlock } from './code-block.tsx';
import { Icon } from './icon.tsx';
import { pageAt, publicUrl } from './place.ts';
import { curlOf, typescriptOf } from './snippets.ts';
import { useTexts } from './texts.tsx';

type Props<Name extends OperationName> = { operation: Name; request: RequestOf<Name> };

/** The call behind a view, for a terminal and for a program. */
export function SameByApi<Name extends OperationName>({ operation, request }: Props<Name>) {
  const { t } = useTexts();
  const [isOpen, { toggle }] = useDisclosure(false);
  const id = useId();
  return (
    <Box>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Icon name="code" size={16} />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={toggle}
      >
        {t('api.same')}
      </Button>
      <Collapse expanded={isOpen} id={id}>
        {isOpen && <ApiCall operation={operation} request={request} />}
      </Collapse>
    </Box>
  );
}

/** The same, without a button that opens it. */
export function ApiCall<Name extends OperationName>({ operation, request }: Props<Name>) {
  const { t } = useTexts();
  const forms = [
    { name: 'curl', code: curlOf(publicUrl, operation, request) },
    { name: 'TypeScript', code: typescriptOf(publicUrl, operation, request) },
  ];
  return (
    <Paper withBorder p="xs" mt="xs">
      <Tabs defaultValue="curl" keepMounted={false} variant="pills">
        <Group justify="space-between" mb="xs" gap="xs">
          <Tabs.List aria-label={operation}>
            {forms.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Anchor size="sm" href={pageAt(`docs#${operation}`)} target="_blank">
            {t('api.reference', { operation })}
          </Anchor>
        </Group>
        {forms.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name}>
            <CodeBlock code={code} name={name} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Paper>
  );
}
