/* Shared by the files of multi_file. */
#ifdef __cplusplus
extern "C" {
#endif
int table_entry(int i);
#ifdef __cplusplus
}
void scale(float *device, int n, float factor);
int halve_on_device(float *device, int n);
void launch_halve(float *device, int n);
#endif
