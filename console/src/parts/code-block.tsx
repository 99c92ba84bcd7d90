import { Group } from '@mantine/core';
import { Copy } from './copy.tsx';

/** A program's text with a button that copies it. `name` names it for screen readers. */
export const CodeBlock = ({ code, name }: { code: string; name: string }) => (
  <Group gap="xs" wrap="nowrap" align="start">
    <pre className="console-code" tabIndex={0} aria-label={name} style={{ flex: 1, minWidth: 0 }}>
      {code}
    </pre>
    <Copy text={code} what={name} />
  </Group>
);
