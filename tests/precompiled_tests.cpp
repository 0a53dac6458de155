// The source that stands for the precompiled headers of test programs.
