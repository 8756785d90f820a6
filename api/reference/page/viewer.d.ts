// The viewer in vendor, as far as docs.js uses it. It is only for checking; browsers do not get it.
interface Viewer {
  preauthorizeApiKey(scheme: string, key: string): void;
}

// What plugins get. See https://swagger.io/docs/open-source-tools/swagger-ui/customization/custom-layout/.
interface ViewerSystem {
  React: {
    createElement(component: unknown, props: object, ...children: unknown[]): unknown;
    useRef(value: null): { current: HTMLElement | null };
    useEffect(effect: () => void, dependencies: unknown[]): void;
  };
  getComponent(name: string): unknown;
}

interface ViewerOptions {
  url?: string;
  spec?: object;
  domNode: HTMLElement | null;
  deepLinking?: boolean;
  defaultModelsExpandDepth?: number;
  docExpansion?: 'list' | 'full' | 'none';
  layout: string;
  presets: unknown[];
  plugins?: ((system: ViewerSystem) => { components: Record<string, () => unknown> })[];
  validatorUrl: string | null;
  onComplete?(): Promise<void>;
}

declare var SwaggerUIBundle: {
  (options: ViewerOptions): Viewer;
  presets: { apis: unknown };
};
