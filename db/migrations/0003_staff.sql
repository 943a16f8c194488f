CREATE TABLE `staff_members` (
	`client_id` text NOT NULL,
	`staff_id` text NOT NULL,
	`pin_hash` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`client_id`, `staff_id`),
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `staff_names` (
	`client_id` text NOT NULL,
	`staff_id` text NOT NULL,
	`name_sealed` text NOT NULL,
	PRIMARY KEY(`client_id`, `staff_id`)
);
--> statement-breakpoint
ALTER TABLE `audit_log` ADD `staff_id` text;