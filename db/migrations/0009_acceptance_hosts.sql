CREATE TABLE `acceptance_hosts` (
	`airline` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`fallback` text NOT NULL
);
